import { createHash } from 'node:crypto';
import type { EvalMode, Evaluator } from '@touchstone/protocol';
import type { ContractCriterion } from '@touchstone/protocol/bodies';
import type { NormalRow } from '../types.js';
import type { CriterionPlan } from './criteria.js';
import { type CompileIssue, type CompileWarning, compileIssue, type DatasetFacts } from './options.js';
import { passScoreOf } from './pass-score.js';
import { NEEDED, type RowPlan, type TaskPlan } from './plan-row.js';
import type { Ceilings } from './suite-frame.js';

const MAX_REPORTED = 20;

/** An issue of a row, before it is known whether rows have lines. */
export type RowIssue = { readonly issue: CompileIssue; readonly at: number };

/** How many rows, and the first of them. */
type RowCount = { rows: number; first: number };

const countRow = (count: RowCount | undefined, at: number): RowCount => ({
  rows: (count?.rows ?? 0) + 1,
  first: count?.first ?? at,
});

/** What is known about one criterion. */
type CriterionCount = {
  uses: number;
  /** `hardTasks[n]`: the tasks in which it is one of n hard criteria. */
  hardTasks: number[];
  judged?: RowCount;
  leftOut?: RowCount;
  isUnnamed?: true;
};

/** What the first reading of a dataset learns, in a few numbers per criterion and eight bytes per task. */
export class Survey {
  readonly ids = new IdHashes();
  readonly issues: RowIssue[] = [];
  issueCount = 0;
  tasks = 0;
  readonly #kinds = new Set<TaskPlan['kind']>();
  readonly #counts = new Map<CriterionPlan, CriterionCount>();
  #expectedUnused: RowCount | undefined;
  #softTasks = 0;

  add({ at }: NormalRow, plan: RowPlan): void {
    for (const issue of plan.issues) this.report(issue, at);
    for (const planned of plan.leftOut) {
      const count = this.#countOf(planned);
      count.leftOut = countRow(count.leftOut, at);
    }
    for (const planned of plan.unnamed) this.#countOf(planned).isUnnamed = true;
    if (plan.expectedUnused) this.#expectedUnused = countRow(this.#expectedUnused, at);
    for (const task of plan.tasks) this.#addTask(task, at);
  }

  report(issue: CompileIssue, at: number): void {
    this.issueCount += 1;
    if (this.issues.length < MAX_REPORTED) this.issues.push({ issue, at });
  }

  #countOf(planned: CriterionPlan): CriterionCount {
    const count = this.#counts.get(planned) ?? { uses: 0, hardTasks: [] };
    this.#counts.set(planned, count);
    return count;
  }

  #addTask({ taskId, kind, uses }: TaskPlan, at: number): void {
    this.ids.add(taskId);
    this.tasks += 1;
    this.#kinds.add(kind);
    const hard = uses.filter(({ planned }) => planned.criterion.strict).length;
    if (hard === 0) this.#softTasks += 1;
    for (const { planned, evaluator } of uses) {
      const count = this.#countOf(planned);
      count.uses += 1;
      if (evaluator !== planned.criterion.evaluator) count.judged = countRow(count.judged, at);
      if (!planned.criterion.strict) continue;
      while (count.hardTasks.length <= hard) count.hardTasks.push(0);
      count.hardTasks[hard] = (count.hardTasks[hard] ?? 0) + 1;
    }
  }

  get modes(): readonly EvalMode[] {
    return (['golden', 'rubric'] as const).filter((kind) => this.#kinds.has(kind));
  }

  isUsed(planned: CriterionPlan): boolean {
    return this.#countOf(planned).uses > 0;
  }

  get passScore(): number {
    const hard = [...this.#counts].filter(([, { hardTasks }]) => hardTasks.length > 0);
    const tallies = hard.map(([{ criterion }, { hardTasks }]) => ({
      rate: criterion.rate,
      tasks: hardTasks,
    }));
    return passScoreOf(this.tasks, this.#softTasks, tallies);
  }

  /** Where no task has what a criterion would be compared with, it is the judge's everywhere. */
  evaluatorOf(planned: CriterionPlan): Evaluator {
    const { judged, uses } = this.#countOf(planned);
    return judged?.rows === uses ? 'judge' : planned.criterion.evaluator;
  }

  criterionOf(planned: CriterionPlan): ContractCriterion {
    return { ...planned.criterion, evaluator: this.evaluatorOf(planned) };
  }

  unusedIssues(criteria: readonly CriterionPlan[]): readonly CompileIssue[] {
    return criteria
      .filter((planned) => planned.criterion.strict && !this.isUsed(planned))
      .map((planned) => {
        const message = `Criterion ${planned.criterion.id} is strict but applies to no row: ${this.#whyUnused(planned)}`;
        return compileIssue('strict_criterion_unused', message, planned.pointer);
      });
  }

  #whyUnused(planned: CriterionPlan): string {
    const { leftOut, isUnnamed } = this.#countOf(planned);
    if (!planned.needs || !leftOut)
      return 'the "criteria" of every row leave it out. Name it in one of them, or drop it.';
    const among = isUnnamed ? 'of those whose "criteria" do not leave it out, ' : '';
    return `${among}none has ${NEEDED[planned.needs]}. Give the rows what it needs, or drop it.`;
  }

  warnings(
    criteria: readonly CriterionPlan[],
    pointer: string,
    lines: boolean,
    ceilings: Ceilings,
  ): readonly CompileWarning[] {
    const rowsIn = ({ rows, first }: RowCount): string =>
      `${rows === 1 ? '1 row' : `${rows} rows`} (the first ${lines ? `on line ${first}` : `is number ${first}`})`;
    const warnings = criteria.flatMap((planned) => this.#criterionWarnings(planned, rowsIn));
    if (this.#expectedUnused) {
      const message = `Nothing compares the expected value of ${rowsIn(this.#expectedUnused)}.`;
      warnings.push({ code: 'expected_unused', message, pointer });
    }
    if (this.passScore === 0) {
      const isMissable = [...this.#counts.values()].some(({ hardTasks }) => hardTasks.length > 0);
      const why = isMissable
        ? 'What is strict may be missed in every task, by its threshold'
        : 'No criterion is strict and no task has one right answer';
      warnings.push({ code: 'nothing_blocks', message: `${why}, so ${whatBlocks(ceilings)}.`, pointer });
    }
    return warnings;
  }

  #criterionWarnings(planned: CriterionPlan, rowsIn: (count: RowCount) => string): CompileWarning[] {
    const { criterion, needs, pointer } = planned;
    const { uses, leftOut, judged } = this.#countOf(planned);
    if (uses === 0)
      return [{ code: 'criterion_unused', message: `Criterion ${criterion.id} applies to no row.`, pointer }];
    const warnings: CompileWarning[] = [];
    if (leftOut && needs) {
      const message = `Criterion ${criterion.id} needs ${NEEDED[needs]} and does not apply to ${rowsIn(leftOut)}.`;
      warnings.push({ code: 'criterion_not_applicable', message, pointer });
    }
    if (judged) {
      const message = `Criterion ${criterion.id} has nothing to compare with in ${rowsIn(judged)}; a judge decides it there.`;
      warnings.push({ code: 'judged_without_reference', message, pointer });
    }
    return warnings;
  }
}

function whatBlocks({ maxP95LatencyMs, maxCostUsd }: Ceilings): string {
  const blocking = [maxP95LatencyMs !== undefined && 'the latency', maxCostUsd !== undefined && 'the cost'];
  const known = blocking.filter(Boolean).join(' and ');
  return known === '' ? 'every run passes' : `only ${known} can fail a run, whatever its answers`;
}

/** Whether rows of this format have lines of their own. */
export const hasLines = (facts: DatasetFacts | undefined): boolean =>
  facts?.format === 'jsonl' || facts?.format === 'csv';

type IdHash = (id: string) => bigint;

/** Eight bytes per task, so that a million ids need not be kept to know that all of them differ. */
export class IdHashes {
  readonly #hashOf: IdHash;
  #hashes = new BigUint64Array(1024);
  #count = 0;

  constructor(hashOf: IdHash = shortHash) {
    this.#hashOf = hashOf;
  }

  add(id: string): void {
    if (this.#count === this.#hashes.length) {
      const larger = new BigUint64Array(this.#count * 2);
      larger.set(this.#hashes);
      this.#hashes = larger;
    }
    this.#hashes[this.#count] = this.#hashOf(id);
    this.#count += 1;
  }

  /** Whether an id may have been added twice: always true if it was, and almost never otherwise. Asked after the last one. */
  repeats(): ((id: string) => boolean) | undefined {
    const sorted = this.#hashes.subarray(0, this.#count).sort();
    const repeated = new Set<bigint>();
    for (let at = 1; at < sorted.length; at += 1) {
      const hash = sorted[at];
      if (hash !== undefined && hash === sorted[at - 1]) repeated.add(hash);
    }
    return repeated.size === 0 ? undefined : (id) => repeated.has(this.#hashOf(id));
  }
}

const shortHash: IdHash = (id) => createHash('sha256').update(id).digest().readBigUInt64LE();
