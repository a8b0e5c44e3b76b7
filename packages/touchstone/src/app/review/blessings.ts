import {
  asId,
  type BaselineEntry,
  type BlessedRun,
  type EvalPlan,
  HostError,
  hasScripted,
  type NewBaseline,
  type Owner,
  type Principal,
  type PrincipalId,
  plannedSteps,
  type RunId,
  timestampOf,
} from '@touchstone/protocol';
import type { Blessing, Clock, Run, Store } from '../../ports/index.js';

/** The runs that others are measured by. */
export type Blessings = {
  /** Newest first, those that no longer count included. */
  list(owner: Owner, suiteId?: string): Promise<readonly BaselineEntry[]>;
  /** Makes a completed run the baseline of its suite, its agent and its judge. Refuses what has not measured every task. */
  bless(principal: Principal, runId: RunId): Promise<NewBaseline>;
};

type Parts = { readonly store: Pick<Store, 'baselines' | 'runs'>; readonly clock: Pick<Clock, 'now'> };
type EvalRun = Run & { readonly plan: EvalPlan };

export function createBlessings({ store, clock }: Parts): Blessings {
  const { baselines, runs } = store;
  return {
    async list(owner, suiteId) {
      const marked = markCurrent(await baselines.list(owner));
      const wanted = marked.filter(
        ({ blessing }) => suiteId === undefined || blessing.suite.suiteId === suiteId,
      );
      return Promise.all(
        wanted.map(async ({ blessing, current }) => {
          const { contractVerdict } = (await runs.get(owner, blessing.runId))?.headline ?? {};
          return { ...blessedRun(blessing), current, ...(contractVerdict && { contractVerdict }) };
        }),
      );
    },
    async bless({ id, owner }, runId) {
      const run = checkMeasured(await runs.get(owner, runId));
      const { suite, agent, judge } = run.plan;
      const before = await baselines.find(owner, {
        suite: suite.digest,
        agentId: agent.agentId,
        ...(judge && { judge: judge.digest }),
      });
      const already = before?.runId === runId;
      const blessing = already ? before : blessingOf(run, id, clock.now());
      if (!already && !(await baselines.bless(owner, blessing))) throw noRun();
      const { contractVerdict } = run.headline ?? {};
      return {
        blessed: blessedRun(blessing),
        ...(before && !already && { replaced: blessedRun(before) }),
        ...(already && { already }),
        ...(contractVerdict && { contractVerdict }),
        notes: notesOn(run),
      };
    },
  };
}

const noRun = (): HostError => new HostError('not_found', 'There is no such run.');

type MarkedBlessing = { readonly blessing: Blessing; readonly current: boolean };

/** The latest one of a suite, an agent and a judge counts. Given newest first, as the store lists them. */
export function markCurrent(blessings: readonly Blessing[]): readonly MarkedBlessing[] {
  const seen = new Set<string>();
  return blessings.map((blessing) => {
    const { suite, agent, judge } = blessing;
    const subject = JSON.stringify([suite.digest, agent.agentId, judge ?? null]);
    const current = !seen.has(subject);
    seen.add(subject);
    return { blessing, current };
  });
}

const blessedRun = ({ runId, suite, agent, judge, score, principal, at }: Blessing): BlessedRun => ({
  runId,
  suite: { ref: `${suite.suiteId}@${suite.version}`, digest: suite.digest },
  agent: { agentId: agent.agentId, version: agent.version, digest: agent.digest },
  ...(judge !== undefined && { judge }),
  score,
  principal: asId<PrincipalId>(principal),
  at: timestampOf(at),
});

const blessingOf = ({ runId, plan, headline }: EvalRun, principal: string, at: number): Blessing => ({
  runId,
  suite: plan.suite,
  agent: { agentId: plan.agent.agentId, version: plan.agent.version, digest: plan.agent.digest },
  ...(plan.judge && { judge: plan.judge.digest }),
  score: headline?.aggregateScore ?? 0,
  principal,
  at,
});

/** Others are measured by a baseline, so it must be a measurement itself. */
function checkMeasured(run: Run | undefined): EvalRun {
  if (!run) throw noRun();
  const { runId, plan, status, headline } = run;
  if (plan.kind !== 'eval')
    throw new HostError('not_found', 'This run is not an eval run, so it cannot be a baseline.');
  if (status !== 'completed')
    throw new HostError(
      'run_state_conflict',
      `Run ${runId} is ${status}, and only a completed run can be a baseline.`,
      { runStatus: status },
    );
  const wrong = unmeasured(run, plan, headline?.cacheHits ?? 0);
  if (wrong !== undefined) throw new HostError('validation_error', wrong, { field: 'runId' });
  return run as EvalRun;
}

function unmeasured({ runId }: Run, { fork }: EvalPlan, cacheHits: number): string | undefined {
  if (fork?.mode === 'replay')
    return `Run ${runId} is a replay of run ${fork.source}, so it has measured nothing itself.`;
  if (fork)
    return `Run ${runId} begins with what run ${fork.source} recorded, so it has not measured every task itself.`;
  return cacheHits > 0
    ? `${count(cacheHits, 'model call')} of run ${runId} came from the cache, so it did not measure them.`
    : undefined;
}

const whole = (number: number): string => number.toLocaleString('en-US');
const count = (number: number, noun: string): string => `${whole(number)} ${noun}${number === 1 ? '' : 's'}`;

function notesOn({ plan, headline }: EvalRun): readonly string[] {
  const { totalTasks, rejudgeOf } = plan;
  const selected = plannedSteps(plan);
  return [
    ...(selected < totalTasks
      ? [
          `It ran ${whole(selected)} of the ${whole(totalTasks)} tasks: only runs of the same ones can be compared with it.`,
        ]
      : []),
    ...(headline?.unscored
      ? [`${count(headline.unscored, 'task')} could not be scored, and will be left out of comparisons.`]
      : []),
    ...(rejudgeOf ? [`The answers are those of run ${rejudgeOf}, judged again.`] : []),
    ...(hasScripted(plan)
      ? ['A scripted model took part: its answers were written down beforehand and are evidence of nothing.']
      : []),
    ...(plan.targetMismatchAllowed ? ['The suite was made for another agent.'] : []),
    ...(plan.modes.includes('live-shadow')
      ? ['Live tools and memory were used: scores may differ next time.']
      : []),
  ];
}
