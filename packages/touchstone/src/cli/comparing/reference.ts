import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { asId, type BaselineEntry, defined, type RunId, type Scorecard } from '@touchstone/protocol';
import type { Client, RunSnapshot } from '@touchstone/sdk';
import { readScorecardFile } from '../files/scorecard-file.js';
import { UsageError } from '../io.js';
import { absent, asEvalRun, findRun, knownRun, placesBack, runPages, stateOf } from '../run-lookup.js';
import type { Session } from '../session.js';

const SUITE_REF = /^([^@/\\]+)@([^@/\\]+)$/;

/** A file of this name is there, or it is called like one and was mistyped. */
export const isFile = (text: string, cwd: string): boolean =>
  placesBack(text) === undefined &&
  text !== 'blessed' &&
  (text.endsWith('.json') || statSync(resolve(cwd, text), { throwIfNoEntry: false })?.isFile() === true);

/** Whether a name stands for a suite, and so for the newest of many runs. */
export const isSuiteRef = (text: string, cwd: string): boolean => SUITE_REF.test(text) && !isFile(text, cwd);

/** A run to compare, and what a baseline of it must share. */
type NamedRun = {
  readonly runId: RunId;
  readonly suite: { readonly ref: string; readonly digest: string };
  readonly agentId: string;
  /** Digest of the judge. */
  readonly judge?: string;
};

type NameOptions = { readonly cwd: string; readonly agent?: string | undefined };

/** What a name stands for: a run, `last~n`, a scorecard file, or a suite with its version. */
export async function findNamed(session: Session, name: string, options: NameOptions): Promise<NamedRun> {
  const { client } = session;
  if (placesBack(name) !== undefined) return namedRun(await findRun(client, name));
  const known = await findById(client, name);
  if (known) return known;
  if (session.local && isFile(name, options.cwd)) {
    const { touchstone, principal } = session.local;
    const text = readScorecardFile(resolve(options.cwd, name), name);
    const card = await touchstone.importScorecard(principal.owner, text);
    // A run that is kept here is read from its own log.
    return (await findById(client, card.runId)) ?? namedCard(card);
  }
  const [, suiteId, version] = SUITE_REF.exec(name) ?? [];
  if (suiteId === undefined || version === undefined) throw unknown(name);
  return namedRun(await newestOf(client, suiteId, version, options.agent));
}

const unknown = (name: string): UsageError =>
  new UsageError(
    `There is no run and no scorecard file ${name} here.`,
    'See the runs kept here with "touchstone runs". A suite is named with its version: id@1.0.0',
  );

/** A run, or one elsewhere whose scorecard was kept from a file. */
async function findById(client: Client, name: string): Promise<NamedRun | undefined> {
  const run = await knownRun(client, name);
  if (run) return namedRun(run);
  const card = await keptCard(client, name);
  return card && namedCard(card);
}

/** A scorecard that was kept from a file. */
export const keptCard = (client: Client, runId: string): Promise<Scorecard | undefined> =>
  client.runs.scorecard(asId<RunId>(runId)).catch(absent);

function namedRun(run: RunSnapshot): NamedRun {
  const { runId, status, touchstone } = asEvalRun(run);
  const { suite, agent, judge } = touchstone;
  if (status === 'completed') return defined({ runId, suite, agentId: agent.agentId, judge: judge?.digest });
  throw new UsageError(
    `Run ${runId} is ${stateOf(run)}, and only completed runs can be compared.`,
    'See which are with: touchstone runs --status completed',
  );
}

const namedCard = ({ runId, suite, agent, judge }: Scorecard): NamedRun =>
  defined({
    runId,
    suite: { ref: `${suite.suiteId}@${suite.version}`, digest: suite.digest },
    agentId: agent.agentId,
    judge: judge?.digest,
  });

/** The run that was blessed for what another one measured: the same suite, agent and judge. */
export async function findBlessed({ client }: Session, after: NamedRun): Promise<NamedRun> {
  const blessings = await client.baselines.list();
  const blessing = blessings.find(
    ({ suite, agent, judge, current }) =>
      current &&
      suite.digest === after.suite.digest &&
      agent.agentId === after.agentId &&
      judge === after.judge,
  );
  const found = blessing && (await findById(client, blessing.runId));
  if (found) return found;
  throw notBlessed(after, blessings);
}

/** After an edit of the suite an earlier blessing no longer counts, which the caller may not expect. */
function notBlessed({ suite, agentId, judge }: NamedRun, blessings: readonly BaselineEntry[]): UsageError {
  const near = blessings.find((one) => one.suite.ref === suite.ref && one.agent.agentId === agentId);
  if (!near)
    return new UsageError(
      `No run of ${suite.ref} by agent ${agentId}${judge ? ' and the same judge' : ''} is blessed.`,
      'Bless one with "touchstone baseline bless <runId>", or name the run to compare with.',
    );
  const why =
    near.suite.digest === suite.digest ? 'another judge has scored it' : 'the suite has changed since';
  return new UsageError(
    `Run ${near.runId} of ${suite.ref} is blessed for agent ${agentId}, but ${why}.`,
    `Name it to lay the two side by side all the same: ${near.runId}. Or bless a newer run with "touchstone baseline bless <runId>".`,
  );
}

/** The newest completed run of one version of a suite. */
async function newestOf(
  client: Client,
  suiteId: string,
  version: string,
  agent: string | undefined,
): Promise<RunSnapshot> {
  const [agentId, agentVersion] = agent?.split('@') ?? [];
  const filter = { suiteId, status: 'completed', ...defined({ agentId }) } as const;
  const isOf = ({ touchstone }: RunSnapshot): boolean =>
    touchstone?.suite?.ref === `${suiteId}@${version}` &&
    (agentVersion === undefined || touchstone?.agent?.version === agentVersion);
  for await (const page of runPages(client, filter)) {
    const found = page.find(isOf);
    if (found) return found;
  }
  throw new UsageError(
    `There is no completed run of ${suiteId}@${version}${agent === undefined ? '' : ` with agent ${agent}`} here.`,
    'See the runs kept here with: touchstone runs --status completed',
  );
}
