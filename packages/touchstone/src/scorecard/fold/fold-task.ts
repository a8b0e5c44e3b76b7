import type {
  CriterionId,
  CriterionResult,
  Finding,
  RepeatScore,
  TaskId,
  TaskResult,
  Thresholds,
  UnscoredReason,
} from '@touchstone/protocol';
import { mean, sumKnown } from './aggregate.js';

/** Only rubric tasks have criteria; one of which no repeat came to be judged scored 0 throughout, under either threshold. */
export const kindOfResult = ({ criteria }: TaskResult): 'golden' | 'rubric' =>
  criteria ? 'rubric' : 'golden';

/** The score a task must reach: the suite's `passScore`, or the host's default for its kind. */
export const taskThreshold = (kind: 'golden' | 'rubric', thresholds: Thresholds | undefined): number =>
  thresholds?.passScore ?? (kind === 'golden' ? 1 : 0.8);

/** The threshold that a result was compared with. */
export const thresholdOf = (result: TaskResult, thresholds: Thresholds | undefined): number =>
  result.bar ?? taskThreshold(kindOfResult(result), thresholds);

type TaskStanding = Pick<TaskResult, 'score' | 'unscored' | 'outcome' | 'findings'>;

/**
 * Whether a task has passed. With a threshold of 0 every score is high enough; a task that got no answer, or lost its score
 * to a severe finding, has failed all the same.
 */
export function reachesThreshold(result: TaskStanding, threshold: number): boolean {
  const { score, unscored, outcome, findings = [] } = result;
  if (unscored || score < threshold) return false;
  const isSevere = findings.some(({ severity }) => severity === 'high' || severity === 'critical');
  return score > 0 || !(outcome || isSevere);
}

/**
 * Folds the repeats of one task: score mean, cost sum, latency maximum, schema validity all, findings union.
 * The wire requires a number, so an unscored repeat leaves here as 0 and the task as failed. Nothing else may do this:
 * an average that met a made-up zero cannot be repaired later.
 */
export function foldTask(
  taskId: TaskId,
  repeats: readonly RepeatScore[],
  threshold: number,
  hasOwnThreshold = false,
): TaskResult {
  const [only] = repeats;
  if (only && repeats.length === 1 && isPlain(only))
    return foldPlain(taskId, only, threshold, hasOwnThreshold);
  const values = repeats.map(({ score }) => (score.kind === 'scored' ? score.value : 0));
  const score = values.reduce((sum, value) => sum + value, 0) / values.length;
  const unscored = repeats.map((repeat) => repeat.score).find((s) => s.kind === 'unscored');
  const findings = unionOfFindings(repeats);
  const costs = foldCosts(repeats);
  const validities = repeats.map((repeat) => repeat.schemaValid).filter((valid) => valid !== undefined);
  const trouble = {
    ...((findings.length > 0 || repeats.every(isProbed)) && { findings }),
    ...(unscored && { unscored: unscored.reason, ...(unscored.denial && { denial: unscored.denial }) }),
    ...unansweredOutcome(repeats),
  };
  return {
    taskId,
    score,
    passed: reachesThreshold({ score, ...trouble }, threshold),
    latencyMs: Math.max(...repeats.map((repeat) => repeat.latencyMs)),
    ...costs,
    ...(validities.length > 0 && { schemaValid: validities.every(Boolean) }),
    ...trouble,
    ...foldCriteria(repeats),
    ...(hasOwnThreshold && { bar: threshold }),
    ...(values.length > 1 && { repeats: values }),
  };
}

/** A repeat that was answered and has nothing to tell but its score and how long it took. */
type PlainRepeat = RepeatScore & { readonly score: Extract<RepeatScore['score'], { kind: 'scored' }> };

function isPlain(repeat: RepeatScore): repeat is PlainRepeat {
  const { score, outcome, cost } = repeat;
  if (score.kind !== 'scored' || score.findings.length > 0 || score.probed) return false;
  if (outcome !== 'completed' && outcome !== 'escalated') return false;
  if (repeat.schemaValid !== undefined || repeat.criteria || repeat.judge) return false;
  const { agentUsd, judgeUsd, simulatedUserUsd, unpriced, cacheHits = 0 } = cost;
  const isFree = agentUsd === undefined && judgeUsd === undefined && simulatedUserUsd === undefined;
  return isFree && unpriced === 0 && cacheHits === 0;
}

/**
 * Most tasks of most runs are like this. Folding them with what many repeats need took a tenth of a run of instant tasks,
 * most of it for the compiler.
 */
function foldPlain(
  taskId: TaskId,
  { score: { value: score }, latencyMs }: PlainRepeat,
  threshold: number,
  hasOwnThreshold: boolean,
): TaskResult {
  const passed = score >= threshold;
  return hasOwnThreshold
    ? { taskId, score, passed, latencyMs, bar: threshold }
    : { taskId, score, passed, latencyMs };
}

/** A wrong answer and no answer both score 0; a reader wants to know which it was. */
function unansweredOutcome(repeats: readonly RepeatScore[]): Pick<TaskResult, 'outcome'> {
  for (const { outcome } of repeats) if (outcome === 'failed' || outcome === 'refused') return { outcome };
  return {};
}

/** Criteria of all repeats by their id, in the order of their first appearance. */
function foldCriteria(repeats: readonly RepeatScore[]): Pick<TaskResult, 'criteria' | 'judge'> {
  const decided = repeats.filter(({ criteria }) => criteria !== undefined);
  const places = decided.map(byPlace);
  const keys = new Set(places.flatMap((place) => [...place.keys()]));
  const criteria = [...keys].map((key) => {
    const without = decided.find((_, at) => !places[at]?.has(key));
    return foldCriterion(
      places.flatMap((place) => place.get(key) ?? []),
      without && whyLeftOut(without),
    );
  });
  const judge = repeats.find((repeat) => repeat.judge)?.judge;
  return {
    ...(decided.length > 0 && { criteria }),
    ...(judge && { judge }),
  };
}

/** The same criterion may stand in a task twice. */
function byPlace({ criteria = [] }: RepeatScore): ReadonlyMap<string, CriterionResult> {
  const times = new Map<CriterionId, number>();
  return new Map(
    criteria.map((one) => {
      const nth = times.get(one.id) ?? 0;
      times.set(one.id, nth + 1);
      return [`${one.id} ${nth}`, one] as const;
    }),
  );
}

/** An advisory criterion without a verdict has no place in its repeat. The others there were asked about together with it. */
const whyLeftOut = ({ criteria = [], judge }: RepeatScore): UnscoredReason =>
  criteria.find(({ unjudged }) => unjudged)?.unjudged ?? (judge ? 'judge_unreadable' : 'judge_unreachable');

/** Met means in every repeat: where one missed it, another without a verdict leaves nothing open. */
function foldCriterion(results: readonly CriterionResult[], leftOut: UnscoredReason | undefined) {
  const { id, weight } = results[0] as CriterionResult;
  const agreements = results.flatMap(({ agreement }) => (agreement === undefined ? [] : [agreement]));
  const values = results.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const check = results.find((result) => result.check)?.check;
  const scorer = results.find((result) => result.scorer)?.scorer;
  const isMissed = results.some(({ met, unjudged }) => !met && !unjudged);
  const unjudged = isMissed ? undefined : (results.find((result) => result.unjudged)?.unjudged ?? leftOut);
  return {
    id,
    weight,
    met: mean(results.map(({ met }) => (met ? 1 : 0))),
    ...(agreements.length > 0 && { agreement: mean(agreements) }),
    ...(values.length > 0 && { value: mean(values) }),
    ...(check && { check }),
    ...(scorer && { scorer }),
    ...(unjudged && { unjudged }),
  };
}

type Costs = Pick<TaskResult, 'costUsd' | 'judgeUsd' | 'simulatedUserUsd' | 'unpriced' | 'cacheHits'>;

function foldCosts(repeats: readonly RepeatScore[]): Costs {
  const agentUsd = sumKnown(repeats.map(({ cost }) => cost.agentUsd));
  const judgeUsd = sumKnown(repeats.map(({ cost }) => cost.judgeUsd));
  const simulatedUserUsd = sumKnown(repeats.map(({ cost }) => cost.simulatedUserUsd));
  const costUsd = sumKnown([agentUsd, judgeUsd, simulatedUserUsd]);
  const unpriced = repeats.reduce((sum, { cost }) => sum + cost.unpriced, 0);
  const cacheHits = repeats.reduce((sum, { cost }) => sum + (cost.cacheHits ?? 0), 0);
  return {
    ...(costUsd !== undefined && { costUsd }),
    ...(judgeUsd !== undefined && { judgeUsd }),
    ...(simulatedUserUsd !== undefined && { simulatedUserUsd }),
    ...(unpriced > 0 && { unpriced }),
    ...(cacheHits > 0 && { cacheHits }),
  };
}

const isProbed = ({ score }: RepeatScore): boolean => score.kind === 'scored' && score.probed === true;

function unionOfFindings(repeats: readonly RepeatScore[]): Finding[] {
  const seen = new Map<string, Finding>();
  for (const { score } of repeats) {
    for (const finding of score.findings ?? []) seen.set(`${finding.kind} ${finding.severity}`, finding);
  }
  return [...seen.values()];
}
