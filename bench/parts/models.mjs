// A model agent with two tool calls and a judge, against an endpoint that takes 20 ms for each question: how much of the ideal is
// lost?
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { modelsFloor } from '../lib/floors.mjs';
import { middle, node, withFolder } from '../lib/process.mjs';
import { seconds, times } from '../lib/report.mjs';
import { COMMAND, summaryOf } from '../lib/touchstone.mjs';

const DELAY_MS = 20;
/** Two turns that ask for a tool, the answer, the judge. */
const QUESTIONS = 4;
const WIDTH = 32;
const TASKS = 2_000;
const MOST = 1.05;

export async function models({ report, reps, sizes: [n = TASKS] = [] }) {
  const endpoint = spawn(process.execPath, [
    fileURLToPath(new URL('../models/endpoint.mjs', import.meta.url)),
    String(DELAY_MS),
  ]);
  try {
    const port = await new Promise((resolve) =>
      createInterface({ input: endpoint.stdout }).once('line', resolve),
    );
    const costs = { ours: [], floor: [] };
    for (let rep = 0; rep < reps; rep += 1)
      await withFolder(async (folder) => {
        const suite = join(folder, 'orders.suite.json');
        writeFileSync(suite, JSON.stringify(suiteOf(n)));
        costs.ours.push(await runOnce(folder, suite, n, port));
        costs.floor.push(await modelsFloor(suite, n, port));
      });
    tell(report, n, middle(costs.ours), middle(costs.floor));
  } finally {
    endpoint.kill('SIGKILL');
  }
}

async function runOnce(folder, suite, n, port) {
  writeFileSync(join(folder, 'touchstone.config.json'), JSON.stringify(configuration(port)));
  const run = ['run', suite, '--agent', 'local.bench.model', '--concurrency', String(WIDTH), '--json'];
  const cost = await node([COMMAND, ...run, '--data', join(folder, 'data')], { cwd: folder });
  const { passedCount } = summaryOf(cost);
  if (passedCount !== n) throw new Error(`${passedCount} of ${n} tasks passed; all of them are right.`);
  return cost;
}

const configuration = (port) => ({
  providers: { local: { kind: 'openai-compatible', baseUrl: `http://127.0.0.1:${port}/v1` } },
  agents: [
    {
      agentId: 'local.bench.model',
      version: '1.0.0',
      toolAllowlist: ['local:orders.get'],
      run: { kind: 'openai', provider: 'local', model: 'bench' },
    },
  ],
  tools: [
    {
      toolId: 'local:orders.get',
      kind: 'declared',
      description: 'An order.',
      inputSchema: { type: 'object', properties: { order: { type: 'string' } } },
    },
  ],
  judge: { model: 'local/judge' },
  egress: { allowPrivate: true },
});

const SENT = { tool: 'local:orders.get', response: { state: 'sent' } };

const suiteOf = (n) => ({
  suiteId: 'local.bench.evals.orders',
  version: '1.0.0',
  modes: ['rubric'],
  tasks: Array.from({ length: n }, (_, at) => ({
    taskId: `t-${at}`,
    input: `Where is order ${at}?`,
    expected: { kind: 'rubric', rubric: [{ criterion: 'It says where the order is.', weight: 1 }] },
    fixtures: { toolResponses: [SENT, SENT] },
  })),
});

function tell(report, n, ours, floor) {
  const idealMs = Math.ceil(n / WIDTH) * QUESTIONS * DELAY_MS;
  for (const [who, { wallMs, cpuMs, rssMb }] of [
    ['touchstone', ours],
    ['floor: plain client', floor],
  ])
    report.note('models', { who, n, idealMs, wallMs, 'wall/ideal': wallMs / idealMs, cpuMs, rssMb });
  const { wallMs } = ours;
  const what = `${n.toLocaleString('en')} tasks of a model, two tool calls and a judge, ${WIDTH} at a time`;
  report.row({
    what,
    ours: seconds(wallMs),
    floor: `ideal ${seconds(idealMs)}`,
    ratio: times(wallMs / idealMs),
    target: `≤ ${times(MOST)}`,
    ok: wallMs / idealMs <= MOST,
  });
  report.row({
    what: '… against a client that keeps nothing, asking the same endpoint',
    ours: `${times(wallMs / idealMs)} ideal`,
    floor: `client ${times(floor.wallMs / idealMs)} ideal`,
    ratio: times(wallMs / floor.wallMs),
  });
}
