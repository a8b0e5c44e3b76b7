import { createPrivateKey, sign } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { asId, type RunId, type Scorecard } from '@touchstone/protocol';
import type { LogEntry, Run } from '../../ports/index.js';
import { LOCAL_OWNER, type Local, withTouchstone } from '../local.js';
import { openTestCli, type TestCli } from './test-cli.js';

export type EvidenceCli = TestCli & {
  /** Runs the suite, of which one task of three fails, and tells the run's id. */
  runSuite(): Promise<RunId>;
  /** Exports the newest run and tells the name of the file. */
  exported(...more: string[]): Promise<string>;
  /** Looks into the store as the commands do. */
  inStore<T>(use: (touchstone: Local['touchstone']) => Promise<T>): Promise<T>;
};

export const AGENT = `export default ({ say }) => say === 'late' ? 'ANSWER-WRONG' : say;`;

const task = (taskId: string, value: string): object => ({
  taskId,
  input: { say: value },
  expected: { kind: 'golden', match: { strategy: 'exact', value } },
});
const SUITE = {
  suiteId: 'local.test.evals.say',
  version: '1.0.0',
  modes: ['golden'],
  tasks: [task('late', 'late'), task('early', 'early'), task('never', 'never')],
};

export function openEvidenceCli(options?: Parameters<typeof openTestCli>[0]): EvidenceCli {
  const desk = openTestCli(options);
  desk.write('agent.mjs', AGENT);
  desk.write('say.suite.json', SUITE);
  const context = { io: desk.io, settings: { data: '.touchstone', json: false, color: false } };
  return {
    ...desk,
    async runSuite() {
      const { out } = await desk.run('run', 'say.suite.json', '--agent', 'agent.mjs', '--json');
      return asId<RunId>(JSON.parse(out).runId);
    },
    async exported(...more) {
      const { code, err } = await desk.run('export', 'last', ...more);
      if (code !== 0) throw new Error(err);
      return readdirSync(desk.cwd).find((name) => name.endsWith('.scorecard.json')) as string;
    },
    inStore: (use) => withTouchstone(context, 'store', ({ touchstone }) => use(touchstone)),
  };
}

/** Ids, keys and times differ from run to run. */
export const steady = (text: string): string =>
  text
    .replaceAll(/run-[0-9a-z]{26}/g, 'run-…')
    .replaceAll(/\b[0-9a-f]{16}\b/g, '<key id>')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>')
    .replaceAll(/\d+ s ago/g, '<when>')
    .replaceAll(/touchstone \d+\.\d+\.\d+/g, 'touchstone <version>');

type Envelope = {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
};
export const envelopeOf = (text: string): Envelope => JSON.parse(text) as Envelope;

type Statement = {
  subject: { name: string; digest: { sha256: string } }[];
  predicate: { scorecard: { -readonly [member in keyof Scorecard]: Scorecard[member] } };
};

/** The same file with another statement in it; the signature stays the old one. */
export function withStatement(text: string, change: (statement: Statement) => void): string {
  const envelope = envelopeOf(text);
  const statement = JSON.parse(Buffer.from(envelope.payload, 'base64').toString()) as Statement;
  change(statement);
  const payload = Buffer.from(JSON.stringify(statement)).toString('base64');
  return JSON.stringify({ ...envelope, payload });
}

/** The same file signed anew. Written from the DSSE protocol page, and sharing nothing with the code under test. */
export function signedAgain(text: string, privateKey: string, keyid: string): string {
  const envelope = envelopeOf(text);
  const body = Buffer.from(envelope.payload, 'base64');
  const head = `DSSEv1 ${envelope.payloadType.length} ${envelope.payloadType} ${body.length} `;
  const sig = sign(null, Buffer.concat([Buffer.from(head), body]), createPrivateKey(privateKey));
  return JSON.stringify({ ...envelope, signatures: [{ keyid, sig: sig.toString('base64') }] });
}

/** Copies a finished run under another name and changes its entries on the way: a history that does not add up. */
export async function forge(
  { store }: Local['touchstone'],
  sourceId: RunId,
  change: (entry: LogEntry) => LogEntry,
  headlineOf: (source: Run) => Run['headline'] = ({ headline }) => headline,
): Promise<RunId> {
  const source = (await store.runs.get(LOCAL_OWNER, sourceId)) as Run;
  const headline = headlineOf(source);
  const { principal, origin, workflowId, plan, request, createdAt, engineVersion, owner } = source;
  const runId = asId<RunId>('forged');
  const row = { runId, owner, principal, origin, workflowId, plan, request, createdAt, engineVersion };
  await store.runs.create(row);
  const lease = await store.leases.take(owner, runId, 60_000);
  if (!lease) throw new Error('The lease is taken.');
  const stored = await store.log.entries(owner, sourceId, 0, 10_000);
  await store.log.commit(lease, {
    seals: stored.flatMap(({ records }) => records),
    entries: stored.map(({ entry }) => change(entry)),
    firstSequence: 0,
    run: { status: 'completed', completedAt: 1, ...(headline && { headline }) },
  });
  await store.leases.release(lease);
  return runId;
}
