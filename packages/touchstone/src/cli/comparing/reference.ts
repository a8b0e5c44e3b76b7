import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { asId, type RunId } from '@touchstone/protocol';
import type { LocalTouchstone } from '../../app/index.js';
import type { Blessing, Run } from '../../ports/index.js';
import { readScorecardFile } from '../files/scorecard-file.js';
import { asEvalRun, type EvalRun, findRun, placesBack, stateOf } from '../find-run.js';
import { LOCAL_OWNER } from '../local.js';
import { UsageError } from '../usage-error.js';
import { type Side, sideOfCard, sideOfRun } from './side.js';

const SUITE_REF = /^([^@/\\]+)@([^@/\\]+)$/;
const PAGE = 100;

/** A file of this name is there, or it is called like one and was mistyped. */
export const isFile = (text: string, cwd: string): boolean =>
  placesBack(text) === undefined &&
  (text.endsWith('.json') || statSync(resolve(cwd, text), { throwIfNoEntry: false })?.isFile() === true);

/** Whether a name stands for a suite, and so for the newest of many runs. */
export const isSuiteRef = (text: string, cwd: string): boolean => SUITE_REF.test(text) && !isFile(text, cwd);

type Whereabouts = { readonly cwd: string; readonly now: number; readonly agent?: string };

/** What one side of a comparison is called: a run, `last~n`, a scorecard file, or a suite with its version. */
export async function findSide(
  touchstone: LocalTouchstone,
  wanted: string,
  where: Whereabouts,
): Promise<Side> {
  if (placesBack(wanted) !== undefined)
    return sideOfRun(touchstone, completed(await findRun(touchstone, wanted), where.now));
  const known = await findKept(touchstone, asId<RunId>(wanted), where);
  if (known) return known;
  if (isFile(wanted, where.cwd)) return findInFile(touchstone, wanted, where);
  const [, suiteId, version] = SUITE_REF.exec(wanted) ?? [];
  if (suiteId === undefined || version === undefined) throw unknown(wanted);
  return sideOfRun(touchstone, await newestOf(touchstone, suiteId, version, where.agent));
}

const unknown = (wanted: string): UsageError =>
  new UsageError(
    `There is no run and no scorecard file ${wanted} here.`,
    'See the runs kept here with "touchstone runs". A suite is named with its version: id@1.0.0',
  );

async function findKept(
  touchstone: LocalTouchstone,
  runId: RunId,
  { now }: Whereabouts,
): Promise<Side | undefined> {
  const run = await touchstone.store.runs.get(LOCAL_OWNER, runId);
  if (run) return sideOfRun(touchstone, completed(run, now));
  const card = await touchstone.store.baselines.kept(LOCAL_OWNER, runId);
  return card && sideOfCard(card);
}

function completed(run: Run, now: number): EvalRun {
  const evaluation = asEvalRun(run);
  if (evaluation.status === 'completed') return evaluation;
  throw new UsageError(
    `Run ${run.runId} is ${stateOf(run, now)}, and only completed runs can be compared.`,
    'See which are with: touchstone runs --status completed',
  );
}

/** A run that is kept here is read from its own log; its scorecard adds nothing. */
async function findInFile(touchstone: LocalTouchstone, file: string, where: Whereabouts): Promise<Side> {
  const text = readScorecardFile(resolve(where.cwd, file), file);
  const card = await touchstone.importScorecard(LOCAL_OWNER, text);
  return (await findKept(touchstone, card.runId, where)) ?? sideOfCard(card);
}

/** The run that was blessed for what another one measured: the same suite, agent and judge. */
export async function findBlessed(
  touchstone: LocalTouchstone,
  after: Side,
  where: Whereabouts,
): Promise<Side> {
  const { suite, agent, judge } = after;
  const { baselines } = touchstone.store;
  const blessing = await baselines.find(LOCAL_OWNER, {
    suite: suite.digest,
    agentId: agent.agentId,
    ...(judge && { judge: judge.digest }),
  });
  const side = blessing && (await findKept(touchstone, blessing.runId, where));
  if (side) return side;
  throw notBlessed(after, await baselines.list(LOCAL_OWNER));
}

/** Who has blessed a run and then edited the suite wonders where the blessing went. */
function notBlessed({ suite, agent, judge }: Side, blessings: readonly Blessing[]): UsageError {
  const ref = `${suite.suiteId}@${suite.version}`;
  const near = blessings.find(
    (one) => `${one.suite.suiteId}@${one.suite.version}` === ref && one.agent.agentId === agent.agentId,
  );
  if (!near)
    return new UsageError(
      `No run of ${ref} by agent ${agent.agentId}${judge ? ' and the same judge' : ''} is blessed.`,
      'Bless one with "touchstone baseline bless <runId>", or name the run to compare with.',
    );
  const why =
    near.suite.digest === suite.digest ? 'another judge has scored it' : 'the suite has changed since';
  return new UsageError(
    `Run ${near.runId} of ${ref} is blessed for agent ${agent.agentId}, but ${why}.`,
    `Name it to lay the two side by side all the same: ${near.runId}. Or bless a newer run with "touchstone baseline bless <runId>".`,
  );
}

/** The newest completed run of one version of a suite. */
async function newestOf(
  touchstone: LocalTouchstone,
  suiteId: string,
  version: string,
  agent: string | undefined,
): Promise<EvalRun> {
  const [agentId, agentVersion] = agent?.split('@') ?? [];
  const filter = {
    suiteId,
    status: 'completed',
    limit: PAGE,
    ...(agentId !== undefined && { agentId }),
  } as const;
  for (let cursor: string | undefined; ; ) {
    const page = await touchstone.store.runs.list(LOCAL_OWNER, {
      ...filter,
      ...(cursor !== undefined && { cursor }),
    });
    const found = page.items.find(({ plan }) => isOf(plan, version, agentVersion));
    if (found) return asEvalRun(found);
    cursor = page.nextCursor;
    if (cursor === undefined) throw noneOf(`${suiteId}@${version}`, agent);
  }
}

const isOf = (plan: Run['plan'], version: string, agentVersion: string | undefined): boolean =>
  plan.kind === 'eval' &&
  plan.suite.version === version &&
  (agentVersion === undefined || plan.agent.version === agentVersion);

const noneOf = (ref: string, agent: string | undefined): UsageError =>
  new UsageError(
    `There is no completed run of ${ref}${agent === undefined ? '' : ` with agent ${agent}`} here.`,
    'See the runs kept here with: touchstone runs --status completed',
  );
