import { asId, type ContractReport, type Digest, type ReportedGate } from '@touchstone/protocol';
import { openTestCli, type TestCli } from './test-cli.js';

export const SUITE = 'local.acme.evals.parcel-desk';
export const AGENT = 'local.acme.parcel-desk';
const MODEL = 'small-1';

export type Criterion = { readonly name: string; readonly [member: string]: unknown };

export type Contracts = TestCli & {
  configure(more?: object): void;
};

/**
 * A project with a definition in `agent.json`, four rows beside it, and a model that answers from a script: wrongly about
 * parcel 4, rightly about all others. A judge called `strict` finds everything polite but parcel 3; nobody has written
 * down what `silent` says.
 */
export function openContractCli(options?: Parameters<typeof openTestCli>[0]): Contracts {
  const desk = openTestCli(options);
  // Tests name the lines of what is wrong.
  const write: TestCli['write'] = (name, content) =>
    desk.write(name, typeof content === 'string' ? content : JSON.stringify(content, null, 1));
  const configure = (more: object = {}): void =>
    write('touchstone.config.json', {
      providers: { offline: { kind: 'scripted', path: 'script.json' } },
      models: { [MODEL]: 'offline/agent', 'judge-1': 'offline/strict' },
      ...more,
    });
  configure();
  write('script.json', SCRIPT);
  write('agent.json', definition());
  write('evals/rows.jsonl', ROWS);
  return { ...desk, write, configure };
}

const place = (parcel: number): string => `shelf ${parcel}`;
export const ROWS = [1, 2, 3, 4]
  .map((parcel) =>
    JSON.stringify({ id: `p${parcel}`, input: { parcel }, expected: { place: place(parcel) } }),
  )
  .map((line) => `${line}\n`)
  .join('');

const verdict = (met: boolean): object => ({
  verdicts: [{ criterion: 1, met, score: Number(met), reason: 'REASON' }],
});
const answers = [1, 2, 3].map((parcel) => ({
  when: { model: 'agent', contains: `"parcel":${parcel}` },
  json: { place: place(parcel) },
}));
const SCRIPT = {
  replies: [
    ...answers,
    { when: { model: 'strict', contains: place(3) }, json: verdict(false) },
    { when: { model: 'strict' }, json: verdict(true) },
    { when: { model: 'agent' }, json: { place: 'WRONG' } },
  ],
};

export const RUBRIC: readonly Criterion[] = [
  { name: 'json_schema_validity' },
  { name: 'accuracy', threshold: 0.5 },
  { name: 'conciseness', description: 'At most 1 words.', strict: false },
];

/** A form A definition; its profile is held to by half of the answers. */
export const definition = (evaluation: object = {}, version = '1.0.0'): object => ({
  metadata: {
    id: '0b7d0f6c-2f0e-4b83-9d55-1d2c3b4a5f60',
    version,
    name: 'Parcel Desk',
    author: 'Acme',
    created_at: '2026-01-02T03:04:05Z',
  },
  capabilities: [
    {
      name: 'find',
      type: 'atomic',
      description: 'Finds a parcel.',
      inputs: { type: 'object', required: ['parcel'], properties: { parcel: { type: 'integer' } } },
      outputs: { type: 'object', required: ['place'], properties: { place: { type: 'string' } } },
    },
  ],
  config: {
    model_config: { model: MODEL, temperature: 0 },
    system_prompt: 'Say where the parcel is, as JSON.',
  },
  dependencies: {},
  evaluation: { golden_dataset_uri: 'evals/rows.jsonl', grading_rubric: RUBRIC, ...evaluation },
});

/** A form B manifest; each agent has the rows and these criteria, or no profile at all. */
export const manifest = (agents: { readonly [id: string]: readonly Criterion[] | undefined }): object => ({
  apiVersion: 'coreason.ai/v2',
  kind: 'Agent',
  metadata: { name: 'Parcels', version: '1.0.0' },
  definitions: Object.fromEntries(
    Object.entries(agents).map(([id, rubric]) => [id, manifestAgent(id, rubric)]),
  ),
  workflow: { start: 'main', steps: {} },
});

export const manifestAgent = (id: string, rubric: readonly Criterion[] | undefined): object => ({
  type: 'agent',
  id,
  name: id,
  role: 'Clerk',
  goal: 'Say where the parcel is, as JSON.',
  model: MODEL,
  ...(rubric && {
    evaluation: {
      golden_dataset_uri: 'evals/rows.jsonl',
      grading_rubric: rubric.map((criterion) => ({
        description: criterion.name,
        threshold: 1,
        ...criterion,
      })),
    },
  }),
});

const digest = asId<Digest>('sha256:0');

export const gateOf = (id: string, changes: Partial<ReportedGate> = {}): ReportedGate => ({
  id: asId(id),
  strict: true,
  evaluator: 'judge',
  applicable: 10,
  met: 10,
  rate: 1,
  required: 1,
  status: 'pass',
  ...changes,
});

/** A report of these gates; what a test is about is given. */
export const contractOf = (
  criteria: readonly ReportedGate[],
  changes: Partial<ContractReport> = {},
): ContractReport => ({
  runId: asId('run-1'),
  suite: { ref: 'acme.shop.evals.refunds@1.2.0' as ContractReport['suite']['ref'], digest },
  agent: { agentId: asId('local.acme.support'), version: asId('1.0.0'), digest },
  contract: digest,
  verdict: 'pass',
  tasks: { total: 10, selected: 10, passed: 10 },
  criteria,
  summary: { score: 1, passed: true },
  ...changes,
});

/** Ids and times differ from run to run. */
export const steady = (text: string): string =>
  text
    .replaceAll(/run-[0-9a-z]{26}/g, 'run-…')
    .replaceAll(/ +\d+ ms/g, ' 0 ms')
    .replaceAll(/took .*/g, 'took –');
