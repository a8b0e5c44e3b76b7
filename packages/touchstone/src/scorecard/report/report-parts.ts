import {
  type CriterionId,
  type EvalReport,
  type Finding,
  type ReportedCriterion,
  SEVERITIES,
  type TaskResult,
  type Thresholds,
} from '@touchstone/protocol';
import { mean } from '../fold/aggregate.js';
import { thresholdOf } from '../fold/fold-task.js';
import { passAt, passHat } from '../statistics/pass-at.js';

type CriterionResult = NonNullable<TaskResult['criteria']>[number];

/** The same criterion has the same id in every task, so it can be followed through the suite without being quoted. */
export function reportCriteria(results: readonly TaskResult[]): Pick<EvalReport, 'criteria'> {
  const byId = new Map<CriterionId, CriterionResult[]>();
  for (const { criteria = [] } of results) {
    for (const one of criteria) {
      const known = byId.get(one.id);
      if (known) known.push(one);
      else byId.set(one.id, [one]);
    }
  }
  return byId.size > 0 ? { criteria: [...byId].map(([id, decided]) => reportCriterion(id, decided)) } : {};
}

function reportCriterion(id: CriterionId, decided: readonly CriterionResult[]): ReportedCriterion {
  const agreements = decided.flatMap(({ agreement }) => (agreement === undefined ? [] : [agreement]));
  return {
    id,
    applicable: decided.length,
    met: mean(decided.map(({ met }) => met)),
    weight: mean(decided.map(({ weight }) => weight)),
    ...(agreements.length > 0 && { agreement: mean(agreements) }),
  };
}

type Counted = { readonly repeats: number; readonly passed: number };

/** A task with an unscored repeat is left out: whether that repeat would have passed is not known. */
export function reportRepeats(
  k: number,
  thresholds: Thresholds | undefined,
  results: readonly TaskResult[],
): Pick<EvalReport, 'repeats'> {
  if (k < 2) return {};
  const counted = results.flatMap((result) => (result.unscored ? [] : countRepeats(result, thresholds)));
  if (counted.length === 0) return {};
  const at = (j: number) => ({
    j,
    passAt: mean(counted.map(({ repeats, passed }) => passAt(repeats, passed, j))),
    passHat: mean(counted.map(({ repeats, passed }) => passHat(repeats, passed, j))),
  });
  const curve = Array.from({ length: k }, (_, index) => at(index + 1));
  const { passAt: passAtK, passHat: passHatK } = at(k);
  return { repeats: { k, tasks: counted.length, passAtK, passHatK, curve } };
}

function countRepeats(result: TaskResult, thresholds: Thresholds | undefined): Counted[] {
  const { repeats } = result;
  if (!repeats) return [];
  const threshold = thresholdOf(result, thresholds);
  return [{ repeats: repeats.length, passed: repeats.filter((score) => score >= threshold).length }];
}

/** The gravest first, then by name. */
export function reportFindings(results: readonly TaskResult[]): Pick<EvalReport, 'findings'> {
  const counted = new Map<string, Finding & { tasks: number }>();
  for (const { findings = [] } of results) {
    for (const { kind, severity } of findings) {
      const known = counted.get(`${severity} ${kind}`) ?? { kind, severity, tasks: 0 };
      counted.set(`${severity} ${kind}`, { ...known, tasks: known.tasks + 1 });
    }
  }
  return counted.size > 0 ? { findings: [...counted.values()].sort(byGravity) } : {};
}

const byGravity = (a: Finding, b: Finding): number =>
  SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) || (a.kind < b.kind ? -1 : 1);
