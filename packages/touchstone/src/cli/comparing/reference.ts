import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { asId, type RunId } from '@touchstone/contract';
import type { Run } from '@touchstone/contract/ports';
import type { LocalTouchstone } from '../../host/in-process.js';
import { asEvalRun, type EvalRun, noRun } from '../collect-result.js';
import { LOCAL_OWNER } from '../local.js';
import { readScorecardFile } from '../scorecard-file.js';
import { UsageError } from '../usage-error.js';
import { type Side, sideOfCard, sideOfRun } from './side.js';

const NTH_LAST = /^last(?:~(\d{1,4}))?$/;
const SUITE_REF = /^([^@/\\]+)@([^@/\\]+)$/;
const PAGE = 100;

/** A file of this name is there, or it is called like one and was mistyped. */
export const isFile = (text: string, cwd: string): boolean =>
  !NTH_LAST.test(text) &&
  (text.endsWith('.json') || statSync(resolve(cwd, text), { throwIfNoEntry: false })?.isFile() === true);

type Whereabouts = { readonly cwd: string; readonly agent?: string };

/** What one side of a comparison is called: a run, `last~n`, a scorecard file, or a suite with its version. */
export async function findSide(
  touchstone: LocalTouchstone,
  wanted: string,
  where: Whereabouts,
): Promise<Side> {
  const back = NTH_LAST.exec(wanted);
  if (back) return sideOfRun(touchstone, completed(await nthLast(touchstone, wanted, Number(back[1] ?? 0))));
  const known = await findKept(touchstone, asId<RunId>(wanted));
  if (known) return known;
  if (isFile(wanted, where.cwd)) return findInFile(touchstone, wanted, where.cwd);
  const [, suiteId, version] = SUITE_REF.exec(wanted) ?? [];
  if (suiteId === undefined || version === undefined) throw unknown(wanted);
  return sideOfRun(touchstone, await newestOf(touchstone, suiteId, version, where.agent));
}

const unknown = (wanted: string): UsageError =>
  new UsageError(
    `There is no run and no scorecard file ${wanted} here.`,
    'See the runs kept here with "touchstone runs". A suite is named with its version: id@1.0.0',
  );

/** Counted as "touchstone runs" lists them. */
async function nthLast(touchstone: LocalTouchstone, wanted: string, back: number): Promise<Run> {
  let cursor: string | undefined;
  for (let left = back; ; left -= PAGE) {
    const page = await touchstone.store.runs.list(LOCAL_OWNER, {
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    const run = page.items[left];
    if (run) return run;
    cursor = page.nextCursor;
    if (cursor === undefined) throw back === 0 ? noRun('last') : tooFarBack(wanted);
  }
}

const tooFarBack = (wanted: string): UsageError =>
  new UsageError(`There are not enough runs here for ${wanted}.`, 'See them with: touchstone runs');

async function findKept(touchstone: LocalTouchstone, runId: RunId): Promise<Side | undefined> {
  const run = await touchstone.store.runs.get(LOCAL_OWNER, runId);
  if (run) return sideOfRun(touchstone, completed(run));
  const card = await touchstone.store.baselines.kept(LOCAL_OWNER, runId);
  return card && sideOfCard(card);
}

function completed(run: Run): EvalRun {
  const evaluation = asEvalRun(run);
  if (evaluation.status === 'completed') return evaluation;
  throw new UsageError(
    `Run ${run.runId} is ${run.status}, and only completed runs can be compared.`,
    'See which are with: touchstone runs --status completed',
  );
}

/** A run that is kept here is read from its own log; its scorecard adds nothing. */
async function findInFile(touchstone: LocalTouchstone, file: string, cwd: string): Promise<Side> {
  const text = readScorecardFile(resolve(cwd, file), file);
  const card = await touchstone.importScorecard(LOCAL_OWNER, text);
  return (await findKept(touchstone, card.runId)) ?? sideOfCard(card);
}

/** The run that was blessed for what another one measured: the same suite, agent and judge. */
export async function findBlessed(touchstone: LocalTouchstone, { suite, agent, judge }: Side): Promise<Side> {
  const blessing = await touchstone.store.baselines.find(LOCAL_OWNER, {
    suite: suite.digest,
    agentId: agent.agentId,
    ...(judge && { judge: judge.digest }),
  });
  const side = blessing && (await findKept(touchstone, blessing.runId));
  if (side) return side;
  throw new UsageError(
    `No run of ${suite.suiteId}@${suite.version} by agent ${agent.agentId}${judge ? ' and the same judge' : ''} is blessed.`,
    'Bless one with "touchstone baseline bless <runId>", or name the run to compare with.',
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
