import {
  HostError,
  jsonEqual,
  type LookAtRuns,
  type LooksReport,
  type Owner,
  type RunId,
  validationError,
} from '@touchstone/protocol';
import {
  DEFAULT_PASS_SCORE,
  isDecided,
  lookAfterEach,
  type MeasuredResults,
  whyNoVerdict,
} from '../../scorecard/index.js';
import { suiteByDigest } from '../catalogue/suite-catalogue.js';
import { measuredRun, type ResultSource } from './run-measurement.js';

/** Rounds of one evaluation, and what was known after each. Reads no body. */
export async function readLooks(
  source: ResultSource,
  owner: Owner,
  request: LookAtRuns,
  configured: number,
): Promise<LooksReport> {
  const { rounds, against, tolerance = configured } = request;
  const measured: MeasuredResults[] = [];
  for (const [at, runId] of rounds.entries())
    measured.push(await find(source, owner, runId, `/rounds/${at}`));
  const [first] = measured as [MeasuredResults];
  checkRounds(measured);
  const baseline =
    against === undefined ? undefined : await baselineOf(source, owner, measured, { ...request, against });
  const head = await suiteByDigest(source.store, owner, first.suite.digest);
  const bar = head?.thresholds?.passScore ?? DEFAULT_PASS_SCORE;
  const looks = lookAfterEach(measured, { bar, against: baseline?.results, tolerance });
  const { suiteId, version, digest } = first.suite;
  return {
    suite: { ref: `${suiteId}@${version}`, digest },
    agent: first.agent,
    bar,
    totalTasks: head?.taskCount ?? first.results.length,
    looks,
    decided: looks.some(isDecided),
    ...(baseline && { against: baseline.runId, tolerance }),
  };
}

async function find(
  source: ResultSource,
  owner: Owner,
  runId: RunId,
  pointer: string,
): Promise<MeasuredResults> {
  const found = await measuredRun(source, owner, runId, pointer);
  if (found) return found;
  throw new HostError('not_found', 'There is no such run to look at.', {
    field: pointer.split('/')[1] ?? '',
  });
}

/** Rounds are parts of one evaluation: measured alike, and no task twice. */
function checkRounds([first, ...others]: readonly MeasuredResults[]): void {
  if (!first) return;
  if (first.contract)
    throw validationError([
      { pointer: '/rounds/0', message: 'A contract is decided by all of its tasks, so it has no rounds.' },
    ]);
  const seen = new Set(first.results.map(({ taskId }) => taskId));
  for (const [at, round] of others.entries()) {
    const message = whyOtherRound(first, round) ?? taskTwice(round, seen);
    if (message) throw validationError([{ pointer: `/rounds/${at + 1}`, message }]);
  }
}

function whyOtherRound(first: MeasuredResults, round: MeasuredResults): string | undefined {
  if (first.suite.digest !== round.suite.digest) return 'The run is of another suite than the first round.';
  const isSameAgent =
    first.agent.digest === round.agent.digest && jsonEqual(first.model ?? null, round.model ?? null);
  if (!isSameAgent) return 'The run is of another agent or another model than the first round.';
  return whyNoVerdict(first, round, BY_TASK)?.message;
}

/** Which tasks were selected differs by design. */
const BY_TASK = { common: true, shared: { common: new Set<never>(), changed: [], added: [], removed: [] } };

function taskTwice({ results }: MeasuredResults, seen: Set<string>): string | undefined {
  const twice = results.find(({ taskId }) => seen.has(taskId));
  for (const { taskId } of results) seen.add(taskId);
  return twice && `Task ${twice.taskId} was in an earlier round already.`;
}

/** The run to compare with must have measured every task of the rounds in the same way. */
async function baselineOf(
  source: ResultSource,
  owner: Owner,
  rounds: readonly MeasuredResults[],
  { against, allowJudgeMismatch = false }: LookAtRuns & { readonly against: RunId },
): Promise<MeasuredResults> {
  const baseline = await find(source, owner, against, '/against');
  const message = whyNotAgainst(baseline, rounds, allowJudgeMismatch);
  if (message === undefined) return baseline;
  throw validationError([{ pointer: '/against', message }]);
}

function whyNotAgainst(
  baseline: MeasuredResults,
  rounds: readonly MeasuredResults[],
  allowJudgeMismatch: boolean,
): string | undefined {
  const known = new Set(baseline.results.map(({ taskId }) => taskId));
  for (const round of rounds) {
    if (baseline.suite.digest !== round.suite.digest) return 'The run is of another suite than the rounds.';
    const why = whyNoVerdict(baseline, round, { ...BY_TASK, allowJudgeMismatch });
    if (why) return why.message;
    const absent = round.results.find(({ taskId }) => !known.has(taskId));
    if (absent) return `The run lacks tasks of the rounds, ${absent.taskId} among them.`;
  }
  return undefined;
}
