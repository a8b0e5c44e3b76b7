import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findConfigFile } from '../../../app/index.js';
import { placeFile } from '../../files/local-files.js';
import { type Context, type ExitCode, UsageError, writeResult } from '../../io.js';
import { shellWord } from '../../session.js';
import { STARTER } from '../../version.js';

/** The project `touchstone init` writes: small enough to read in a minute, and it passes as it is. */
const PROJECT_FILES: { readonly [path: string]: string } = {
  'touchstone.config.json': `{
  "agents": [
    {
      "agentId": "local.demo.shop",
      "version": "0.1.0",
      "persona": "Shop assistant",
      "toolAllowlist": ["shop:orders.get"],
      "run": { "kind": "module", "path": "./agent.mjs" }
    }
  ],
  "suites": ["./evals"]
}
`,
  'agent.mjs': `// The agent under evaluation: a function from an input to an answer. Replace its inside with a model call of your own;
// it may call the tools of its allowlist and read its memory.
export default async function shopAssistant(input, { tools, memory }) {
  const question = String(input.question ?? input.message).toLowerCase();

  if (question.includes('refund')) return 'You can return any item within 30 days of delivery.';
  if (question.includes('who am i')) return memory[0]?.content ?? 'I do not know you yet.';

  const orderId = question.match(/order (\\d+)/)?.[1];
  if (orderId === undefined) return 'I can help with orders and refunds.';

  const order = await tools.call('shop:orders.get', { orderId });
  if (order === null) return \`There is no order \${orderId}.\`;
  return { orderId, status: order.status, arrives: order.arrives };
}
`,
  'evals/first.suite.yaml': `# What the agent must be able to do. Run it with: touchstone run evals/first.suite.yaml
suiteId: local.demo.evals.first
version: 1.0.0
targetAgentId: local.demo.shop
modes: [golden]
thresholds:
  passScore: 0.9
  maxP95LatencyMs: 2000

tasks:
  - taskId: refund-window
    input: { question: How long can I get a refund? }
    expected:
      kind: golden
      match: { strategy: contains, value: 30 days }

  - taskId: small-talk
    input: { question: Nice weather today! }
    expected:
      kind: golden
      match: { strategy: exact, value: I can help with orders and refunds. }

  # A fixture stands in for the tool, so the answer is the same today, tomorrow and on another machine.
  - taskId: order-status
    input: { question: Where is order 1042? }
    fixtures:
      toolResponses:
        - tool: shop:orders.get
          response: { status: shipped, arrives: tomorrow }
    expected:
      kind: golden
      match:
        strategy: json-match
        value: { orderId: "1042", status: shipped, arrives: tomorrow }

  - taskId: order-unknown
    input: { question: Where is order 7? }
    fixtures:
      toolResponses:
        - tool: shop:orders.get
          response: null
    expected:
      kind: golden
      match: { strategy: exact, value: There is no order 7. }

  - taskId: remembers-the-customer
    input: { question: Who am I? }
    fixtures:
      memorySeed:
        - content: You are Ada, a customer since 2019.
    expected:
      kind: golden
      match: { strategy: contains, value: Ada }
`,
};

const STARTER_NAME = 'evals/adversarial-starter.suite.yaml';

/** Writes a project, and with `--adversarial` the starter suite: into a new project, or beside what is there. */
export async function initCommand(
  context: Context,
  dir: string,
  { adversarial = false }: { readonly adversarial?: boolean },
): Promise<ExitCode> {
  const { io } = context;
  const folder = resolve(io.cwd, dir);
  const isNew = !adversarial || !(await hasProject(folder));
  const files = {
    ...(isNew && PROJECT_FILES),
    ...(adversarial && { [STARTER_NAME]: readFileSync(STARTER, 'utf8') }),
  };
  const names = Object.keys(files);
  refusePresent(names.filter((name) => existsSync(join(folder, name))));
  for (const [name, text] of Object.entries(files)) placeFile(join(folder, name), text);
  const there = folder === io.cwd ? '' : `cd ${shellWord(dir)} && `;
  const next = [
    ...(isNew ? [`${there}touchstone run evals/first.suite.yaml`] : []),
    ...(adversarial ? [`${there}touchstone run ${STARTER_NAME}${isNew ? '' : ' --agent <agentId>'}`] : []),
  ];
  const document = { folder, files: names, next: next[0], ...(adversarial && { probes: next.at(-1) }) };
  const lines = [
    ...names.map((name) => `wrote ${join(dir, name)}`),
    '',
    'Now run it:',
    ...next.map((command) => `  ${command}`),
    ...(adversarial ? ['', ...PROBE_HINT] : []),
  ];
  writeResult(context, document, () => `${lines.join('\n')}\n`);
  return 0;
}

const PROBE_HINT = [
  'The probes are for an agent that takes { "message": "…" }. Every tool they speak of answers from a fixture.',
  'Put those that resemble its own tools on its toolAllowlist; the head of the file names them.',
];

/** A folder with a configuration, or with any file that a new project would bring. */
async function hasProject(folder: string): Promise<boolean> {
  if ((await findConfigFile(folder)) !== undefined) return true;
  return Object.keys(PROJECT_FILES).some((name) => existsSync(join(folder, name)));
}

function refusePresent(present: readonly string[]): void {
  if (present.length === 0) return;
  throw new UsageError(
    `Nothing was written, because this is already there: ${present.join(', ')}.`,
    'Name another folder, e.g. touchstone init demo',
  );
}
