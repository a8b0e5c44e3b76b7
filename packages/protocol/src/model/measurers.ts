import { jsonEqual } from '../values/json.js';
import type { EvalPlan } from './run.js';

/** What keeps the scores of a run from being evidence, by what made them. */
export const CAVEATS = ['codeScorer', 'recorded', 'inProcess'] as const;
/**
 * What keeps the scores of a run from being evidence.
 * - `codeScorer`: a scorer decided criteria that the operator does not trust as evidence
 * - `recorded`: the answers came in a file, and no agent was invoked
 * - `inProcess`: the agent or a scorer is a function of the caller's program, which has no digest
 */
export type Caveat = (typeof CAVEATS)[number];

/** Whether a program decided criteria that the operator does not let count for a gate. */
export const hasUntrustedScorer = ({ scorers = [] }: Pick<EvalPlan, 'scorers'>): boolean =>
  scorers.some(({ evidence }) => evidence !== true);

/** Whether something that was asked had its answers written down beforehand: they are evidence of nothing. */
export const hasScripted = (
  plan: Pick<EvalPlan, 'model' | 'judge' | 'safetyJudge' | 'simulatedUser'>,
): boolean =>
  [plan.model, plan.judge, plan.safetyJudge, plan.simulatedUser].some((asked) => asked?.mock === true);

/** The caveats of a run, none when its scores may be evidence as far as this goes. */
export function caveatsOf(plan: Pick<EvalPlan, 'scorers' | 'recorded' | 'inProcess'>): {
  readonly caveats?: readonly Caveat[];
} {
  const caveats: Caveat[] = [];
  if (hasUntrustedScorer(plan)) caveats.push('codeScorer');
  if (plan.recorded) caveats.push('recorded');
  if (plan.inProcess) caveats.push('inProcess');
  return caveats.length > 0 ? { caveats } : {};
}

type Measurers = Pick<
  EvalPlan,
  'judge' | 'safetyJudge' | 'safetyPolicy' | 'embedder' | 'scorers' | 'simulatedUser'
>;

/**
 * Scores of different judges, embedders or scorers, of answers to different users, or under different safety policies, are
 * different measurements.
 */
export const judgesDiffer = (before: Measurers, after: Measurers): boolean =>
  before.judge?.digest !== after.judge?.digest ||
  before.safetyJudge?.digest !== after.safetyJudge?.digest ||
  before.safetyPolicy !== after.safetyPolicy ||
  usersDiffer(before, after) ||
  !jsonEqual(before.embedder ?? null, after.embedder ?? null) ||
  scorersDiffer(before, after);

/** The same about tasks that two suites share: a judge or scorer that only one of the suites needs measures none of them. */
export const judgesOfCommonDiffer = (before: Measurers, after: Measurers): boolean =>
  judgesDiffer(measuresFor(before, after), measuresFor(after, before));

/** Of what measured one run, what has to do with the tasks that it shares with another. */
export function measuresFor(measurers: Measurers, other: Measurers): Measurers {
  const { judge, embedder, simulatedUser, scorers = [], ...rest } = measurers;
  const names = new Set(other.scorers?.map(({ name }) => name));
  return {
    ...rest,
    ...(judge && other.judge && { judge }),
    ...(embedder && other.embedder && { embedder }),
    ...(simulatedUser && other.simulatedUser && { simulatedUser }),
    scorers: scorers.filter(({ name }) => names.has(name)),
  };
}

/** Whether other models, or the same with other parameters or orders, played the user. */
export const usersDiffer = (before: Measurers, after: Measurers): boolean =>
  before.simulatedUser?.digest !== after.simulatedUser?.digest;

/** Whether the operator trusts a scorer does not change what it measures. */
export const scorersDiffer = (
  before: Pick<Measurers, 'scorers'>,
  after: Pick<Measurers, 'scorers'>,
): boolean => !jsonEqual(scorerDigests(before), scorerDigests(after));

const scorerDigests = ({ scorers = [] }: Pick<Measurers, 'scorers'>) =>
  scorers.map(({ name, digest }) => ({ name, digest }));
