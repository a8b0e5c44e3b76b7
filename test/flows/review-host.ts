import { type Agreement, asId, type RunId } from '@touchstone/protocol';
import { openTestCli } from '../../packages/touchstone/src/cli/testing/test-cli.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// A host with answers for people to look at: a scripted judge has decided two criteria of each.

export const REVIEW_SUITE = 'local.shop.evals.tone';
const TASKS = 12;
const ids = Array.from({ length: TASKS }, (_, at) => `reply-${at + 1}`);

/** By task: what the judge says about the first and the second criterion. */
const verdictsOn = (at: number): readonly [boolean, boolean] => [at % 3 !== 0, at % 4 !== 1];

const says = (taskId: string, at: number) => ({
  when: { model: 'strict', contains: `ANSWER-${taskId}.` },
  json: {
    verdicts: verdictsOn(at).map((met, place) => ({
      criterion: place + 1,
      met,
      reason: met ? 'REASON: so it does.' : 'REASON: not a word of it.',
    })),
  },
  usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.01 },
});

const SENTENCES = ['SENTENCE: it names the day.', 'SENTENCE: it acknowledges the wait.'];
const CHECK = '[check:length {"max":400}] It is short.';
const suite = {
  suiteId: REVIEW_SUITE,
  version: '1.0.0',
  modes: ['rubric'],
  tasks: ids.map((taskId) => ({
    taskId,
    input: { message: `Where is my parcel ${taskId}?` },
    expected: {
      kind: 'rubric',
      rubric: [...SENTENCES, CHECK].map((criterion) => ({ criterion, weight: 1 })),
    },
  })),
};

const AGENT = `export default ({ message }) => {
  const id = /reply-\\d+/.exec(message)[0];
  if (id === 'reply-12') throw new Error('no answer');
  return 'ANSWER-' + id + '. Your parcel arrives on Friday, and we are sorry that you had to wait for it so long.';
};`;

const JUDGE = {
  providers: { offline: { kind: 'scripted', path: './judges.json' } },
  judge: { model: 'offline/strict' },
};

/** What `touchstone judge check` says about a file of labels, with the judge of the host. */
export async function checkLabels({ folder }: WholeHost, labels: string): Promise<LabelCheck> {
  const cli = openTestCli({ cwd: folder });
  cli.write('touchstone.config.json', JUDGE);
  cli.write('labels.jsonl', labels);
  const { code, out, err } = await cli.run('judge', 'check', 'labels.jsonl', '--json');
  if (code !== 0) throw new Error(`judge check ended with ${code}: ${err}`);
  return JSON.parse(out);
}
type LabelCheck = { readonly labels: number; readonly judged: Agreement };

export type ReviewHost = WholeHost & {
  readonly runId: RunId;
  /** Another run of the same suite. */
  evaluate(repeats?: number): Promise<RunId>;
};

export async function openReviewHost(config: object = {}): Promise<ReviewHost> {
  const host = await openWholeHost(
    {
      ...JUDGE,
      agents: [
        { agentId: 'local.shop.support', version: '1.8.0', run: { kind: 'module', path: './agent.mjs' } },
      ],
      ...config,
    },
    { files: { 'agent.mjs': AGENT, 'judges.json': JSON.stringify({ replies: ids.map(says) }) } },
  );
  const client = host.client();
  await client.suites.install(suite as never);
  const evaluate = async (repeats = 1): Promise<RunId> => {
    const { runId } = await client.runs.create({
      mode: 'eval',
      evalSuiteRef: REVIEW_SUITE,
      agentId: 'local.shop.support@1.8.0',
      ...(repeats > 1 && { configurable: { repeats } }),
    } as never);
    await client.waitForScorecard(asId<RunId>(runId));
    return asId<RunId>(runId);
  };
  return { ...host, evaluate, runId: await evaluate() };
}
