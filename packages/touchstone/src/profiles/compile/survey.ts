import type { EvalMode, Evaluator } from '@touchstone/protocol';
import type { NormalRow } from '../types.js';
import type { CompiledCriterion, PlannedCriterion } from './criteria.js';
import type { DatasetFacts } from './options.js';
import { passScoreOf, type Tally } from './pass-score.js';
import { NEEDED, type PlannedTask, type RowPlan } from './plan-row.js';
import type { Bars } from './suite-frame.js';
import { IdHashes } from './task-ids.js';
import type { CompileIssue, CompileWarning } from './trouble.js';

const MAX_REPORTED = 20;

/** An issue of a row, before it is known whether rows have lines. */
export type RowIssue = { readonly issue: CompileIssue; readonly at: number };

type Count = { tasks: number; first: number };

/** What the first reading of a dataset learns, in a few numbers per criterion and eight bytes per task. */
export class Survey {
  readonly ids = new IdHashes();
  readonly issues: RowIssue[] = [];
  issueCount = 0;
  tasks = 0;
  readonly #kinds = new Set<PlannedTask['kind']>();
  readonly #hardTasks = new Map<PlannedCriterion, number[]>();
  readonly #uses = new Map<PlannedCriterion, number>();
  readonly #judged = new Map<PlannedCriterion, Count>();
  readonly #leftOut = new Map<PlannedCriterion, Count>();
  readonly #unnamed = new Set<PlannedCriterion>();
  #expectedUnused: Count | undefined;
  #softTasks = 0;

  add({ at }: NormalRow, plan: RowPlan): void {
    for (const issue of plan.issues) this.report(issue, at);
    for (const planned of plan.leftOut) countIn(this.#leftOut, planned, at);
    for (const planned of plan.unnamed) this.#unnamed.add(planned);
    if (plan.expectedUnused) {
      this.#expectedUnused ??= { tasks: 0, first: at };
      this.#expectedUnused.tasks += 1;
    }
    for (const task of plan.tasks) this.#addTask(task, at);
  }

  report(issue: CompileIssue, at: number): void {
    this.issueCount += 1;
    if (this.issues.length < MAX_REPORTED) this.issues.push({ issue, at });
  }

  #addTask({ taskId, kind, uses }: PlannedTask, at: number): void {
    this.ids.add(taskId);
    this.tasks += 1;
    this.#kinds.add(kind);
    let hard = 0;
    for (const { planned, evaluator } of uses) {
      this.#uses.set(planned, (this.#uses.get(planned) ?? 0) + 1);
      if (planned.criterion.strict) hard += 1;
      if (evaluator !== planned.criterion.evaluator) countIn(this.#judged, planned, at);
    }
    if (hard === 0) this.#softTasks += 1;
    for (const { planned } of uses) if (planned.criterion.strict) this.#addWeight(planned, hard);
  }

  #addWeight(planned: PlannedCriterion, hard: number): void {
    const counts = this.#hardTasks.get(planned) ?? [];
    while (counts.length <= hard) counts.push(0);
    counts[hard] = (counts[hard] ?? 0) + 1;
    this.#hardTasks.set(planned, counts);
  }

  get modes(): readonly EvalMode[] {
    return (['golden', 'rubric'] as const).filter((kind) => this.#kinds.has(kind));
  }

  isUsed(planned: PlannedCriterion): boolean {
    return this.#uses.has(planned);
  }

  get passScore(): number {
    const tallies = [...this.#hardTasks].map(
      ([{ criterion }, tasks]): Tally => ({ rate: criterion.rate, tasks }),
    );
    return passScoreOf(this.tasks, this.#softTasks, tallies);
  }

  /** Where no task has what a criterion would be compared with, it is the judge's everywhere. */
  evaluatorOf(planned: PlannedCriterion): Evaluator {
    const judged = this.#judged.get(planned)?.tasks ?? 0;
    return judged > 0 && judged === this.#uses.get(planned) ? 'judge' : planned.criterion.evaluator;
  }

  criterionOf(planned: PlannedCriterion): CompiledCriterion {
    return { ...planned.criterion, evaluator: this.evaluatorOf(planned) };
  }

  unusedIssues(criteria: readonly PlannedCriterion[]): readonly CompileIssue[] {
    return criteria
      .filter((planned) => planned.criterion.strict && !this.isUsed(planned))
      .map((planned) => ({
        pointer: planned.pointer,
        message: `Criterion ${planned.criterion.id} is strict but applies to no row: ${this.#whyUnused(planned)}`,
        code: 'strict_criterion_unused',
      }));
  }

  #whyUnused(planned: PlannedCriterion): string {
    const { needs } = planned;
    const isUnnamed = this.#unnamed.has(planned);
    if (!needs || !this.#leftOut.has(planned))
      return 'the "criteria" of every row leave it out. Name it in one of them, or drop it.';
    const among = isUnnamed ? 'of those whose "criteria" do not leave it out, ' : '';
    return `${among}none has ${NEEDED[needs]}. Give the rows what it needs, or drop it.`;
  }

  warnings(
    criteria: readonly PlannedCriterion[],
    pointer: string,
    lines: boolean,
    bars: Bars,
  ): readonly CompileWarning[] {
    const places = (count: Count) => placesOf(count, lines);
    const warnings: CompileWarning[] = criteria.flatMap((planned) =>
      this.#criterionWarnings(planned, places),
    );
    if (this.#expectedUnused)
      warnings.push({
        code: 'expected_unused',
        message: `Nothing compares the expected value of ${places(this.#expectedUnused)}.`,
        pointer,
      });
    if (this.passScore === 0)
      warnings.push({
        code: 'nothing_blocks',
        message: `${this.#whyNothing()}, so ${whatBlocks(bars)}.`,
        pointer,
      });
    return warnings;
  }

  #whyNothing(): string {
    return this.#hardTasks.size > 0
      ? 'What is strict may be missed in every task, by its threshold'
      : 'No criterion is strict and no task has one right answer';
  }

  #criterionWarnings(planned: PlannedCriterion, places: (count: Count) => string): readonly CompileWarning[] {
    const { criterion, needs, pointer } = planned;
    if (!this.isUsed(planned))
      return [{ code: 'criterion_unused', message: `Criterion ${criterion.id} applies to no row.`, pointer }];
    const leftOut = this.#leftOut.get(planned);
    const judged = this.#judged.get(planned);
    const warnings: CompileWarning[] = [];
    if (leftOut && needs) {
      const message = `Criterion ${criterion.id} needs ${NEEDED[needs]} and does not apply to ${places(leftOut)}.`;
      warnings.push({ code: 'criterion_not_applicable', message, pointer });
    }
    if (judged) {
      const message = `Criterion ${criterion.id} has nothing to compare with in ${places(judged)}; a judge decides it there.`;
      warnings.push({ code: 'judged_without_reference', message, pointer });
    }
    return warnings;
  }
}

function whatBlocks({ maxP95LatencyMs, maxCostUsd }: Bars): string {
  const bars = [
    ...(maxP95LatencyMs === undefined ? [] : ['the latency']),
    ...(maxCostUsd === undefined ? [] : ['the cost']),
  ];
  return bars.length === 0
    ? 'every run passes'
    : `only ${bars.join(' and ')} can fail a run, whatever its answers`;
}

function countIn(counts: Map<PlannedCriterion, Count>, planned: PlannedCriterion, at: number): void {
  const count = counts.get(planned);
  if (count) count.tasks += 1;
  else counts.set(planned, { tasks: 1, first: at });
}

const placesOf = ({ tasks, first }: Count, lines: boolean): string =>
  `${tasks === 1 ? '1 row' : `${tasks} rows`} (the first ${lines ? `on line ${first}` : `is number ${first}`})`;

/** Whether rows of this format have lines of their own. */
export const hasLines = (facts: DatasetFacts | undefined): boolean =>
  facts?.format === 'jsonl' || facts?.format === 'csv';
