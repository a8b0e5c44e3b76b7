import {
  type CriterionId,
  type EvalReport,
  type Finding,
  type ReportedCriterion,
  SEVERITIES,
  type TaskResult,
  type Thresholds,
} from '@touchstone/protocol';
import { createMean } from '../fold/aggregate.js';
import type { Fold } from '../fold/fold.js';
import { thresholdOf } from '../fold/fold-task.js';
import { passAt, passHat } from '../statistics/pass-at.js';

// Parts of a report that take the results one after the other.

type CriterionResult = NonNullable<TaskResult['criteria']>[number];

/** The same criterion has the same id in every task, so it can be followed through the suite without being quoted. */
export function createCriteria(): Fold<TaskResult, Pick<EvalReport, 'criteria'>> {
  const byId = new Map<CriterionId, Fold<CriterionResult, ReportedCriterion>>();
  return {
    add({ criteria = [] }) {
      for (const one of criteria) {
        const known = byId.get(one.id) ?? createCriterion(one.id);
        byId.set(one.id, known);
        known.add(one);
      }
    },
    result: () => (byId.size > 0 ? { criteria: [...byId.values()].map((one) => one.result()) } : {}),
  };
}

function createCriterion(id: CriterionId): Fold<CriterionResult, ReportedCriterion> {
  const [met, weight, agreement] = [createMean(), createMean(), createMean()];
  return {
    add(decided) {
      met.add(decided.met);
      weight.add(decided.weight);
      if (decided.agreement !== undefined) agreement.add(decided.agreement);
    },
    result: () => ({
      id,
      applicable: met.count,
      met: met.result(),
      weight: weight.result(),
      ...(agreement.count > 0 && { agreement: agreement.result() }),
    }),
  };
}

/** A task with an unscored repeat is left out: whether that repeat would have passed is not known. */
export function createRepeats(
  k: number,
  thresholds: Thresholds | undefined,
): Fold<TaskResult, Pick<EvalReport, 'repeats'>> {
  const points = Array.from({ length: k < 2 ? 0 : k }, (_, at) => createPoint(at + 1));
  let tasks = 0;
  return {
    add(result) {
      const { repeats, unscored } = result;
      if (!repeats || unscored || k < 2) return;
      const threshold = thresholdOf(result, thresholds);
      const passed = repeats.filter((score) => score >= threshold).length;
      tasks += 1;
      for (const point of points) point.add({ repeats: repeats.length, passed });
    },
    result() {
      const curve = points.map((point) => point.result());
      const last = curve.at(-1);
      if (!last || tasks === 0) return {};
      return { repeats: { k, tasks, passAtK: last.passAt, passHatK: last.passHat, curve } };
    },
  };
}

type RepeatCount = { readonly repeats: number; readonly passed: number };
type Point = NonNullable<EvalReport['repeats']>['curve'][number];

/** How likely one of `j` repeats passes, and all of them. */
function createPoint(j: number): Fold<RepeatCount, Point> {
  const [one, all] = [createMean(), createMean()];
  return {
    add({ repeats, passed }) {
      one.add(passAt(repeats, passed, j));
      all.add(passHat(repeats, passed, j));
    },
    result: () => ({ j, passAt: one.result(), passHat: all.result() }),
  };
}

/** The gravest first, then by name. */
export function createFindings(): Fold<TaskResult, Pick<EvalReport, 'findings'>> {
  const counted = new Map<string, Finding & { tasks: number }>();
  return {
    add({ findings = [] }) {
      for (const { kind, severity } of findings) {
        const known = counted.get(`${severity} ${kind}`) ?? { kind, severity, tasks: 0 };
        known.tasks += 1;
        counted.set(`${severity} ${kind}`, known);
      }
    },
    result: () => (counted.size > 0 ? { findings: [...counted.values()].sort(byGravity) } : {}),
  };
}

const byGravity = (a: Finding, b: Finding): number =>
  SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) || (a.kind < b.kind ? -1 : 1);
