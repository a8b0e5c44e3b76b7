import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestCli, type TestCli } from '../../packages/touchstone/src/cli/testing/test-cli.js';

// Goal: a verb answers the same in this process and on another host. Method: two stores with the same configuration, one
// opened by every command and one behind a host; the same command lines in the same order on both; equal documents and
// equal exit codes, once ids, times and addresses are replaced by placeholders.

/** One command line. Rows run in order: later ones speak of what earlier ones have made. */
type Row = {
  readonly verb: string;
  readonly argv: readonly string[];
  /** Of the document, only this is compared, and why not all of it. */
  readonly only?: { readonly members: readonly string[]; readonly reason: string };
};

const SUITE = 'evals/first.suite.yaml';
const AGENT = 'local.demo.shop';
const row = (verb: string, ...argv: readonly string[]): Row => ({
  verb,
  argv: [...verb.split(' '), ...argv],
});

const SAYS_WHERE = 'The sentence says on which side there is none.';
const OTHER_CHAIN =
  'A host also records what was written over HTTP, and tells of the chain of its caller only.';

const ROWS: readonly Row[] = [
  row('validate', SUITE),
  row('validate', 'broken.suite.yaml'),
  row('validate', 'nope.yaml'),
  row('run', SUITE, '--agent', AGENT),
  row('run', SUITE, '--baseline', 'last'),
  row('run', SUITE, '--baseline', 'run-nope'),
  row('run', SUITE, '--baseline', 'blessed'),
  row('run', SUITE, '--baseline', 'last', '--common', '--confirm', '2', '--fail-on', 'removed'),
  row('run', SUITE, '--dry-run', '--repeats', '2'),
  row('run', SUITE, '--agent', 'local.demo.nope'),
  row('run', SUITE, '--agent', AGENT, '--param', 'seed'),
  row('run', 'talk.suite.yaml', '--agent', 'local.demo.talk', '--param', 'temperature=0'),
  row('run', 'talk.suite.yaml', '--agent', 'local.demo.talk', '--param', 'warmth=1'),
  row('run', SUITE, '--only', 'nope'),
  row('run', 'failing.suite.yaml', '--agent', AGENT),
  row('run', 'local.demo.evals.nope'),
  row('run', 'evals', '--agent', AGENT),
  row('run', SUITE, '--agent', AGENT, '--agent', `${AGENT}@0.1.0`),
  row('run', SUITE, '--agent', AGENT, '--until-conclusive', '--round', '1'),
  row('run', SUITE, '--agent', AGENT, '--output', 'tasks.jsonl'),
  row('run', SUITE, '--agent', AGENT, '--output', 'tasks.txt'),
  { ...row('run', '--resume'), only: { members: ['exitCode'], reason: SAYS_WHERE } },
  row('runs'),
  row('runs', '--status', 'failed'),
  row('show', 'last'),
  row('show', 'last', '--failed'),
  row('show', 'last', '--all', '--bodies'),
  row('show', 'last', '--task', 'small-talk', '--bodies'),
  row('show', 'run-nope'),
  row('compare', 'last~1', 'last'),
  row('compare', 'last~1', 'last', '--common'),
  row('compare', 'last', 'run-nope'),
  row('baseline bless', 'last'),
  row('baseline list'),
  row('baseline show', 'local.demo.evals.first'),
  row('run', SUITE, '--baseline', 'blessed'),
  row('replay', 'last'),
  row('replay', 'last', '--branch', '--from', '0'),
  row('replay', 'last', '--branch', '--from', '99999'),
  row('replay', 'run-nope'),
  row('rejudge', 'last'),
  row('rejudge', 'run-nope'),
  row('annotate', 'last', '--task', 'small-talk', '--failed', '--note', 'too short'),
  row('annotate', 'last', '--list'),
  row('annotate', 'last', '--task', 'nope', '--failed'),
  row('export', 'last', '--out', 'card.json'),
  row('export', 'last', '--output', 'tasks.csv', '--output', 'page.html'),
  row('verify', 'card.json'),
  row('export', '--all', 'cards'),
  row('promote', `${AGENT}@0.1.0`, '--to', 'canary'),
  row('promote', `${AGENT}@9.9.9`),
  { ...row('approve', 'run-nope'), only: { members: ['exitCode'], reason: SAYS_WHERE } },
  row('deployments', AGENT),
  row('deployments', 'local.demo.nope'),
  { ...row('audit verify'), only: { members: ['valid', 'expected', 'exitCode'], reason: OTHER_CHAIN } },
  { ...row('audit list'), only: { members: [], reason: OTHER_CHAIN } },
  { ...row('audit checkpoint'), only: { members: [], reason: OTHER_CHAIN } },
  row('export', 'last', '--bundle', 'evidence'),
  {
    ...row('verify bundle', 'evidence'),
    only: {
      members: ['verified', 'exitCode', 'reasons', 'parts'],
      reason: 'Each side has a key of its own.',
    },
  },
  row('verify bundle', 'pack'),
  row('suite install', 'local.demo.evals.signed-1.0.0.suite.json'),
  row('suite install', 'local.demo.evals.signed-1.0.0.suite.json'),
  row('suite install', 'broken.suite.yaml'),
  row('run', 'local.demo.evals.signed@^1', '--agent', AGENT),
  row('pack install', 'pack'),
  row('pack install', 'pack'),
  row('pack install', 'evals'),
  row('pack revoke', 'vendor.acme.support@9.0.0', '--reason', 'never wanted'),
  row('pack revoke', 'vendor.acme.support'),
  row('pack remove', 'vendor.acme.support@1.0.0'),
  row('pack remove', 'vendor.acme.support@1.0.0'),
  {
    ...row('prune', '--keep', '1', '--dry-run'),
    only: {
      members: ['dryRun', 'bodiesOnly', 'removed', 'kept'],
      reason: 'In process the runs of every tenant are pruned, and told apart.',
    },
  },
  row('prune', '--keep', 'many'),
  {
    ...row('usage'),
    only: { members: [], reason: 'Logs of the two sides differ in length by the names in them.' },
  },
  row('workers'),
  {
    ...row('keys list'),
    only: {
      members: [],
      reason: 'A machine lists the keys of every tenant with their hashes; a host names them.',
    },
  },
];

/** Command lines that do not yet answer the same, each with its reason. The list may only shrink. */
const PENDING: { readonly [argv: string]: string } = {};

const FILES: { readonly [name: string]: string | object } = {
  'broken.suite.yaml': 'suiteId: local.demo.evals.broken\nversion: 1.0.0\nmodes: [golden]\ntasks: []\n',
  'failing.suite.yaml': `suiteId: local.demo.evals.failing
version: 1.0.0
modes: [golden]
tasks:
  - taskId: never
    input: { question: Nice weather today! }
    expected: { kind: golden, match: { strategy: exact, value: Never said. } }
`,
  'local.demo.evals.signed-1.0.0.suite.json': {
    suiteId: 'local.demo.evals.signed',
    version: '1.0.0',
    modes: ['golden'],
    tasks: [
      {
        taskId: 'never',
        input: { question: 'Nice weather today!' },
        expected: { kind: 'golden', match: { strategy: 'exact', value: 'Never said.' } },
      },
    ],
  },
  'talk.suite.yaml': `suiteId: local.demo.evals.talk
version: 1.0.0
modes: [rubric]
tasks:
  - taskId: simulated
    input: { user: { opening: Hello., goal: Be greeted. } }
    expected:
      kind: rubric
      rubric: [{ criterion: '[check:contains {"text":"Hi","at":"/answer"}] It greets.', weight: 1 }]
`,
  'model.json': {
    replies: [{ when: { model: 'user-1' }, json: { end: true, reached: true } }],
    otherwise: { text: 'Hi.' },
  },
  'pack/pack.json': {
    name: 'vendor.acme.support',
    version: '1.0.0',
    engines: { openwop: '>=1.0.0 <2.0.0' },
    runtime: { language: 'remote', entry: 'pack.json' },
    agents: [
      {
        agentId: 'vendor.acme.support.default',
        persona: 'Support',
        modelClass: 'general',
        systemPromptRef: 'support.md',
      },
    ],
  },
  'pack/support.md': 'Answer kindly.\n',
};

async function openProject(env: { readonly [name: string]: string } = {}): Promise<TestCli> {
  const desk = openTestCli({ env });
  await desk.run('init', '.');
  addAgents(join(desk.cwd, 'touchstone.config.json'));
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(desk.cwd, name)), { recursive: true });
    writeFileSync(join(desk.cwd, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return desk;
}

/** A model that answers from a file, and conversations with it whose user another one plays. */
function addAgents(file: string): void {
  const { agents, ...config } = JSON.parse(readFileSync(file, 'utf8'));
  const chat = { kind: 'openai', provider: 'offline', model: 'chat-1' };
  const talk = { kind: 'conversation', agent: 'local.demo.chat@1.0.0', user: { model: 'offline/user-1' } };
  const added = [
    { agentId: 'local.demo.chat', version: '1.0.0', run: chat },
    { agentId: 'local.demo.talk', version: '1.0.0', run: talk },
  ];
  const providers = { offline: { kind: 'scripted', path: './model.json' } };
  writeFileSync(file, JSON.stringify({ ...config, providers, agents: [...agents, ...added] }));
}

type Answer = { readonly code: number; readonly document: unknown };

let server: TestCli;
let here: TestCli;
let there: TestCli;
let url: string;
let serving: Promise<{ readonly code: number }>;
beforeAll(async () => {
  server = await openProject();
  // A host that serves others wants signatures unless it is told otherwise; a command line does not.
  const config = JSON.parse(readFileSync(join(server.cwd, 'touchstone.config.json'), 'utf8'));
  writeFileSync(
    join(server.cwd, 'touchstone.config.json'),
    JSON.stringify({ ...config, suites: [], trust: { policy: 'open' } }),
  );
  serving = server.run('serve', '--port', '0');
  await server.seen('This is the only time the key is shown');
  const [, address = '', key = ''] =
    server.written.out.match(/listening (\S+)\nexport TOUCHSTONE_KEY=(\S+)\n/) ?? [];
  url = address;
  here = await openProject();
  there = await openProject({ TOUCHSTONE_KEY: key });
});
afterAll(async () => {
  server.signal('SIGTERM');
  expect((await serving).code).toBe(0);
  for (const desk of [server, here, there]) desk.close();
});

/** Names of runs in the order in which they are first seen, so that both sides call them the same. */
const seen = { here: new Map<string, string>(), there: new Map<string, string>() };

async function ask(side: 'here' | 'there', argv: readonly string[]): Promise<Answer> {
  const desk = side === 'here' ? here : there;
  const { code, out } = await desk.run(...argv, '--json', ...(side === 'there' ? ['--host', url] : []));
  return { code, document: plain(JSON.parse(out), seen[side], [desk.cwd, server.cwd]) };
}

const ID = /\b(?:run|ann|evt|inv|int)-[\w-]{8,}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** Measured by a clock, made at random, or the name of the side itself. */
const VARIES =
  /Ms$|^(?:keyId|keyid|sig|payload|at|principal|owner|principalRef|by|fingerprint|host|hash|prevHash|head|origin|publicKey|log\.digest)$/;

function plain(value: unknown, ids: Map<string, string>, folders: readonly string[], parent = ''): unknown {
  if (typeof value === 'string') {
    const named = value.replace(ID, (id) => {
      if (!ids.has(id)) ids.set(id, `<${id.split(/[-_]/)[0]} ${ids.size}>`);
      return ids.get(id) ?? '';
    });
    return folders
      .reduce((text, folder) => text.replaceAll(folder, '<folder>'), named)
      .replace(TIME, '<time>')
      .replaceAll(url, '<host>');
  }
  if (Array.isArray(value)) return value.map((item) => plain(item, ids, folders, parent));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      [name, `${parent}.${name}`].some((one) => VARIES.test(one))
        ? '<varies>'
        : plain(member, ids, folders, name),
    ]),
  );
}

const pick = (document: unknown, members: readonly string[] | undefined): unknown =>
  members === undefined
    ? document
    : Object.fromEntries(members.map((name) => [name, (document as { [name: string]: unknown })[name]]));

describe('the same in this process and on a host', () => {
  test.each(ROWS.map((one) => [one.argv.join(' '), one] as const))('%s', async (words, { argv, only }) => {
    const [one, other] = [await ask('here', argv), await ask('there', argv)];
    const isEqual = () =>
      expect({ code: other.code, document: pick(other.document, only?.members) }).toEqual({
        code: one.code,
        document: pick(one.document, only?.members),
      });
    if (PENDING[words] === undefined) return isEqual();
    // What has become equal is no longer pending.
    expect(isEqual, `${words} is pending: ${PENDING[words]}`).toThrow();
  });
});

test('every verb that takes --host has a row', async () => {
  const verbs = await verbsWithHost();
  expect(verbs.length).toBeGreaterThan(15);
  expect(verbs.filter((verb) => !ROWS.some((one) => one.verb === verb))).toEqual([]);
});

/** By what the help of each verb says. */
async function verbsWithHost(): Promise<readonly string[]> {
  const listed = async (...verb: string[]): Promise<readonly string[]> => {
    const { out } = await here.run(...verb, '--help');
    const commands = out.split(/\nCommands:\n/)[1] ?? '';
    return [...(commands.split(/\n\n/)[0]?.matchAll(/^ {2}([a-z]+)\b/gm) ?? [])].map(([, name = '']) => name);
  };
  const found: string[] = [];
  for (const verb of (await listed()).filter((name) => name !== 'help')) {
    const parts = (await listed(verb)).filter((name) => name !== 'help');
    for (const words of parts.length > 0 ? parts.map((part) => [verb, part]) : [[verb]]) {
      if ((await here.run(...words, '--help')).out.includes('--host <url>')) found.push(words.join(' '));
    }
  }
  return found;
}
