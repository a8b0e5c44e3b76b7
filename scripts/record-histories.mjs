// Records histories: finished runs of every kind, as data, which every later version must be able to replay to the byte.
// Run by hand when there is a kind of run that none of them has. What is recorded already stays as it is: add, don't edit.
//   npm run build && node scripts/record-histories.mjs        writes the histories of this version that are not there yet
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const built = new URL('../packages/touchstone/dist/', import.meta.url);
const target = join(root, 'test/histories');
const { version } = JSON.parse(readFileSync(join(root, 'packages/touchstone/package.json'), 'utf8'));

const owner = { tenant: 'acme', workspace: 'main' };
const principal = { id: 'recorder', owner, roles: ['admin'], scopes: new Set(['*']) };
const AGENT = 'local.acme.desk';
const TALK = 'local.acme.talk';
const TOOL = 'local:orders.lookup';

// ------------------------------------------------------------------------------------------------- who is evaluated

/** Does as its input says. What is to be held waits for a file to appear. */
const ACTOR = `
import { existsSync } from 'node:fs';
export default async (input, ctx) => {
  const { say, look, fail, refuse, hold, unsure, leak } = input;
  ctx.usage({ provider: 'other', model: 'desk-1', inputTokens: 12, outputTokens: 4, costUsd: 0.01 });
  while (hold && !existsSync(process.env.RECORDING_GATE)) await new Promise((resolve) => setTimeout(resolve, 5));
  if (look) ctx.reason('Looked up order ' + JSON.stringify(await ctx.tools.call('${TOOL}', { id: look })) + '.');
  if (fail) throw new Error('The desk is closed.');
  if (unsure) ctx.confidence(0.25);
  if (leak) return 'The card is 4111 1111 1111 1111.';
  return refuse ? ctx.refuse(say) : say;
};
`;
/** Asks for the number of the order until it is told one. */
const TALKER = `
export default ({ messages }, ctx) => {
  ctx.usage({ provider: 'other', model: 'desk-1', inputTokens: 12, outputTokens: 4, costUsd: 0.01 });
  const last = messages.at(-1).content;
  return /[0-9]/.test(last) ? 'It comes on Friday.' : 'Which order?';
};
`;
const USER = {
  replies: [
    { when: { contains: 'Friday' }, json: { end: true, reached: true } },
    { when: { contains: 'mumble' }, text: 'Hm.' },
  ],
  otherwise: { json: { say: 'It is 7.' }, usage: { inputTokens: 9, outputTokens: 3, costUsd: 0.02 } },
};
const talk = (taskId, input) => ({
  taskId,
  input,
  expected: {
    kind: 'rubric',
    rubric: [{ criterion: '[check:contains {"text":"Friday","at":"/answer"}] It names a day.', weight: 1 }],
  },
});
const verdicts = (met) => ({ verdicts: [{ criterion: 1, reason: 'Read twice.', met }] });
const JUDGE = {
  replies: [
    { when: { contains: 'gladly' }, json: verdicts(true) },
    { when: { contains: 'mumbled' }, text: 'Who knows?' },
  ],
  otherwise: { json: verdicts(false) },
};

const golden = (taskId, input = {}, value = `order ${taskId}`) => ({
  taskId,
  input: { say: `order ${taskId}`, ...input },
  expected: { kind: 'golden', match: { strategy: 'exact', value } },
});
const goldens = (count, inputOf = () => ({})) =>
  Array.from({ length: count }, (_, index) => golden(`t-${index}`, inputOf(index)));
const rubric = (taskId, say, ...criteria) => ({
  taskId,
  input: { say },
  expected: {
    kind: 'rubric',
    rubric: criteria.map((criterion) => ({ criterion, weight: 1 / criteria.length })),
  },
});
const fixtures = {
  toolResponses: [{ tool: TOOL, response: { state: 'shipped' } }],
  memorySeed: [{ content: 'The customer likes short answers.', tags: ['style'] }],
};
const JUDGED = [
  rubric('polite', 'gladly, at once', 'The answer is polite.'),
  rubric('curt', 'no', 'The answer is polite.', '[check:length {"max":10}] The answer is short.'),
  rubric('unread', 'mumbled', 'The answer is polite.'),
  golden('plain'),
];

// -------------------------------------------------------------------------------------------------- what is recorded

const evaluated =
  (tasks, suite = {}, configurable = {}) =>
  (house, name) =>
    house.evaluate(name, { modes: ['golden'], tasks, ...suite }, configurable);

const CASES = {
  golden: evaluated(
    [
      golden('right'),
      golden('wrong', { say: 'order unknown' }),
      golden('fails', { fail: true }),
      golden('refuses', { refuse: true }),
      golden('unsure', { unsure: true }),
    ],
    { thresholds: { passScore: 0.5, maxCostUsd: 1 } },
  ),
  repeats: evaluated(
    goldens(3, (index) => (index === 1 ? { say: 'order lost' } : {})),
    {},
    { repeats: 3 },
  ),
  part: evaluated(goldens(5), {}, { onlyTasks: ['t-1', 't-4'] }),
  fixtures: evaluated([
    { ...golden('known', { look: 7 }), fixtures },
    { ...golden('twice', { look: 8, say: 'order lost' }), fixtures },
  ]),
  rubric: evaluated(JUDGED, { modes: ['golden', 'rubric'] }),
  adversarial: evaluated([golden('safe'), golden('card', { leak: true }), golden('no', { refuse: true })], {
    modes: ['golden', 'adversarial'],
  }),
  budget: evaluated(goldens(5), {}, { concurrency: 1, budget: { maxCostUsd: 0.025 } }),
  conversation: (house, name) =>
    house.evaluate(
      name,
      {
        modes: ['rubric'],
        tasks: [
          talk('simulated', { user: { opening: 'Where is it?', goal: 'Learn the day.' } }),
          talk('unread', { user: { opening: 'mumble', goal: 'Learn the day.' } }),
          talk('fixed', { turns: ['Where is it?', 'It is 8.'] }),
        ],
      },
      {},
      TALK,
    ),
  async paused(house, name) {
    const tasks = goldens(4, (index) => (index === 0 ? { hold: true } : {}));
    const runId = await house.begin(name, { modes: ['golden'], tasks }, { concurrency: 2 });
    await house.untilDone(runId, 3);
    await house.engine.pause(owner, runId, 'recorder', 'immediate', 'To look at it.');
    await house.engine.drive(owner, runId);
    house.openGate();
    await house.engine.resume(owner, runId, 'recorder');
    return house.finish(runId);
  },
  async cancelled(house, name) {
    const tasks = goldens(4, (index) => (index === 2 ? { hold: true } : {}));
    const runId = await house.begin(name, { modes: ['golden'], tasks }, { concurrency: 2 });
    await house.untilDone(runId, 3);
    await house.engine.cancel(owner, runId, 'recorder', 'Enough is known.');
    const ended = await house.finish(runId);
    house.openGate();
    return ended;
  },
  async rejudge(house, name) {
    const { runId } = await house.evaluate(`${name}-first`, { modes: ['golden', 'rubric'], tasks: JUDGED });
    house.name(name);
    return house.finish(
      (await house.touchstone.rejudge(principal, runId, { judge: 'paper/second', votes: 5 })).runId,
    );
  },
  async regression(house, name) {
    const suite = {
      modes: ['golden', 'regression'],
      tasks: goldens(6, (index) => (index === 5 ? { say: 'order lost' } : {})),
    };
    const baseline = await house.evaluate(`${name}-baseline`, suite);
    return house.evaluate(name, suite, { baselineRunId: baseline.runId });
  },
  agent: (house, name) => house.run(name, { agentId: AGENT, inputs: { say: 'gladly' }, tags: ['single'] }),
  workflow: (house, name) =>
    house.run(name, {
      workflowId: 'conformance-idempotent',
      inputs: { nonce: 'n-1' },
      metadata: { why: 'floor' },
    }),
  failure: (house, name) => house.run(name, { workflowId: 'conformance-failure' }),
};

// ---------------------------------------------------------------------------------------------------------- the house

async function openHouse(folder) {
  const load = async (file) => import(new URL(file, built).href);
  const [{ createTouchstone }, { parseConfig }, { parseSuite }] = await Promise.all(
    ['app/compose.js', 'app/config/config.js', 'suites/index.js'].map(load),
  );
  writeFileSync(join(folder, 'actor.mjs'), ACTOR);
  writeFileSync(join(folder, 'talker.mjs'), TALKER);
  writeFileSync(join(folder, 'judge.json'), JSON.stringify(JUDGE));
  writeFileSync(join(folder, 'user.json'), JSON.stringify(USER));
  const config = parseConfig(
    {
      agents: [
        {
          agentId: AGENT,
          version: '1.0.0',
          modelClass: 'general',
          toolAllowlist: [TOOL],
          run: { kind: 'module', path: './actor.mjs' },
        },
        { agentId: 'local.acme.talker', version: '1.0.0', run: { kind: 'module', path: './talker.mjs' } },
        {
          agentId: TALK,
          version: '1.0.0',
          run: { kind: 'conversation', agent: 'local.acme.talker', user: { model: 'people/shopper' } },
        },
      ],
      providers: {
        paper: { kind: 'scripted', path: './judge.json' },
        people: { kind: 'scripted', path: './user.json' },
      },
      judge: { model: 'paper/first', votes: 3 },
    },
    folder,
  );
  const gate = join(folder, 'gate');
  process.env.RECORDING_GATE = gate;
  let next = 'unnamed';
  const ids = { runId: () => `run-${next}`, token: () => 'token' };
  const log = { info() {}, warn: console.warn, error: console.error };
  const dataDir = join(folder, 'data');
  const touchstone = await createTouchstone({ config, dataDir, origin: 'host', log, ids });
  const { store, engine } = touchstone;
  const house = {
    touchstone,
    engine,
    store,
    openGate: () => writeFileSync(gate, ''),
    name(name) {
      next = name;
      rmSync(gate, { force: true });
    },
    async begin(name, suite, configurable = {}, agentId = AGENT) {
      house.name(name);
      const suiteId = `local.acme.evals.${name.replace(/-.*/, '')}`;
      await touchstone.suites.replace(owner, parseSuite({ suiteId, version: '1.0.0', ...suite }));
      const body = { mode: 'eval', evalSuiteRef: suiteId, agentId, configurable };
      return (await touchstone.createRun(principal, body)).runId;
    },
    async finish(runId) {
      await engine.drive(owner, runId);
      return store.runs.get(owner, runId);
    },
    evaluate: async (...asked) => house.finish(await house.begin(...asked)),
    async run(name, body) {
      house.name(name);
      return house.finish((await touchstone.createRun(principal, body)).runId);
    },
    untilDone: (runId, done) =>
      new Promise((resolve) => {
        engine.watch(runId, (progress) => progress.done >= done && resolve());
      }),
  };
  return house;
}

// -------------------------------------------------------------------------------------------------------- the history

const MANY = 100_000;

async function readHistory({ store }, run) {
  const events = await store.log.read(owner, run.runId, -1, MANY);
  const { baselineRunId } = run.plan;
  const baseline = baselineRunId && (await store.runs.get(owner, baselineRunId));
  return {
    ...rowOf(run),
    ...(run.plan.kind === 'eval' && { suite: await readSuite(store, run.plan.suite.digest) }),
    ...(baseline && { baseline: rowOf(baseline) }),
    entries: await store.log.entries(owner, run.runId, 0, MANY),
    lines: events.map((event) => JSON.stringify(event)),
  };
}

async function readSuite(store, digest) {
  const head = await store.suites.byDigest(owner, digest);
  return { head, tasks: await store.suites.tasks(owner, digest, 0, MANY) };
}

/** The row in two parts: as it was created, and what had become of it in the end. */
function rowOf({ status, startedAt, completedAt, error, headline, ...row }) {
  const { runId, principal: by, origin, workflowId, plan, request, createdAt, engineVersion } = row;
  const run = { runId, owner, principal: by, origin, workflowId, plan, request, createdAt, engineVersion };
  return {
    run,
    end: { status, startedAt, completedAt, ...(error && { error }), ...(headline && { headline }) },
  };
}

const folder = mkdtempSync(join(tmpdir(), 'touchstone-histories-'));
const house = await openHouse(folder);
try {
  mkdirSync(target, { recursive: true });
  for (const [name, record] of Object.entries(CASES)) {
    const file = join(target, `${version}-${name}.json`);
    if (existsSync(file)) continue;
    const run = await record(house, name);
    writeFileSync(file, JSON.stringify(await readHistory(house, run), null, 2));
    console.log(`${version}-${name}.json: ${run.status}, ${run.eventCount} events`);
  }
} finally {
  await house.touchstone.close();
  rmSync(folder, { recursive: true, force: true });
}
execFileSync(
  process.execPath,
  [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'format', '--write', target],
  {
    stdio: 'inherit',
  },
);
