import type { EvalMode, Thresholds } from '@touchstone/protocol';
import type { EvaluationProfile } from '@touchstone/protocol/bodies';
import type { NormalRow, ProfiledAgent } from '../types.js';
import { type BuiltTask, buildTasks } from './build-task.js';
import { type CompiledCriterion, type CriteriaPlan, planCriteria } from './criteria.js';
import { type CompileInput, type CompileOptions, type DatasetFacts, optionIssues } from './options.js';
import { planRow, type RowRules } from './plan-row.js';
import { createRowCheck, type RowCheck, schemaIssues } from './row-check.js';
import { createSampler } from './sample.js';
import { frameSuite, profilePointer, type SuiteFrame, type SuiteIdentity } from './suite-frame.js';
import { hasLines, type RowIssue, Survey } from './survey.js';
import { type CompileIssue, type CompileWarning, compileError } from './trouble.js';

type Rows = () => AsyncIterable<NormalRow>;

/** A row that becomes tasks, and its place among all rows of the dataset, counted from 1. */
type ChosenRow = { readonly row: NormalRow; readonly ordinal: number };

export type CompiledDataset = DatasetFacts & {
  readonly rows: number;
  readonly sample?: { readonly seed: string; readonly of: number };
};

/** Everything that is known once the rows have been read, and a second reading that makes the tasks. */
export type Compilation = {
  readonly identity: SuiteIdentity;
  readonly modes: readonly EvalMode[];
  readonly thresholds: Thresholds;
  readonly criteria: readonly CompiledCriterion[];
  readonly dataset?: CompiledDataset;
  readonly warnings: readonly CompileWarning[];
  tasks(): AsyncIterable<BuiltTask>;
};

/** Checks a profile against its rows. Throws `validation_error` with everything that is wrong, each with its code. */
export async function surveyProfile(input: CompileInput): Promise<Compilation> {
  const { agent, options = {} } = input;
  const { profile, frame, plan } = readProfile(input, options);
  const rows = input.rows;
  if (!rows) throw noTasks(agent, profile);
  const rules: RowRules = {
    capabilities: agent.capabilities,
    criteria: plan,
    split: options.split ?? false,
  };
  const chosen = await chooseRows(rows, options);
  const survey = await surveyRows(chosen.rows, rules, createRowCheck(input.schemas), options);
  const facts = input.dataset?.();
  if (survey.tasks === 0 && survey.issueCount === 0) throw noTasks(agent, profile, facts);
  await checkIds(survey, chosen.rows, rules, facts);
  refuse(survey, plan, facts);
  const base = profilePointer(agent);
  const criteria = usedCriteria(plan, survey);
  return {
    identity: frame.identity,
    modes: survey.modes,
    thresholds: { passScore: survey.passScore, ...frame.bars },
    criteria,
    ...(facts && { dataset: datasetOf(facts, chosen) }),
    warnings: [
      ...frame.warnings,
      ...plan.warnings,
      ...survey.warnings(plan.criteria, `${base}/grading_rubric`, hasLines(facts), frame.bars),
    ],
    tasks: () => emitTasks(chosen.rows, rules, survey, () => checkUnchanged(facts, input.dataset?.())),
  };
}

type ReadProfile = {
  readonly profile: EvaluationProfile;
  readonly frame: SuiteFrame;
  readonly plan: CriteriaPlan;
};

/** Reads what needs no rows, and refuses before the first one is fetched. */
function readProfile({ agent, schemas }: CompileInput, options: CompileOptions): ReadProfile {
  const pointer = profilePointer(agent);
  const profile = agent.evaluation;
  if (!profile) {
    const message = 'Expected an evaluation profile: this agent carries none.';
    throw compileError([{ pointer, message, code: 'no_profile' }]);
  }
  const frame = frameSuite(agent, options);
  const plan = planCriteria(profile, `${pointer}/grading_rubric`, options);
  const own = [...optionIssues(options), ...frame.issues, ...plan.issues];
  const issues = [...own, ...schemaIssues(agent, schemas)];
  if (issues.length > 0) throw compileError(issues);
  return { profile, frame, plan };
}

function noTasks(
  agent: ProfiledAgent,
  { golden_dataset_uri }: EvaluationProfile,
  facts?: DatasetFacts,
): Error {
  if (facts?.format === 'rows')
    return compileError([
      {
        pointer: facts.list ?? '',
        message: 'Expected at least one row; the list is empty.',
        code: 'no_tasks',
      },
    ]);
  const message = golden_dataset_uri
    ? 'Expected a dataset with at least one row; this one has none.'
    : 'Expected a golden dataset or rows handed in: a suite has at least one task.';
  return compileError([
    { pointer: `${profilePointer(agent)}/golden_dataset_uri`, message, code: 'no_tasks' },
  ]);
}

type ChosenRows = {
  readonly rows: () => AsyncIterable<ChosenRow>;
  readonly sample?: { readonly seed: string; readonly of: number; readonly count: number };
  /** How many were read last, of those that were chosen. */
  count(): number;
};

async function chooseRows(rows: Rows, { sample }: CompileOptions): Promise<ChosenRows> {
  const total = sample ? await countOf(rows()) : 0;
  const isSampled = sample !== undefined && total > sample.count;
  let count = 0;
  async function* chosen(): AsyncIterable<ChosenRow> {
    const isChosen = isSampled ? createSampler(sample.count, total, sample.seed) : () => true;
    let ordinal = 0;
    count = 0;
    for await (const row of rows()) {
      ordinal += 1;
      if (!isChosen()) continue;
      count += 1;
      yield { row, ordinal };
    }
  }
  return {
    rows: chosen,
    count: () => count,
    ...(isSampled && { sample: { seed: sample.seed, of: total, count: sample.count } }),
  };
}

async function countOf(rows: AsyncIterable<NormalRow>): Promise<number> {
  let count = 0;
  for await (const _ of rows) count += 1;
  return count;
}

async function surveyRows(
  rows: ChosenRows['rows'],
  rules: RowRules,
  check: RowCheck,
  { maxTasks = Number.POSITIVE_INFINITY }: CompileOptions,
): Promise<Survey> {
  const survey = new Survey();
  for await (const { row, ordinal } of rows()) {
    const plan = planRow(row, ordinal, rules);
    survey.add(row, plan);
    for (const issue of check(row, plan)) survey.report(issue, row.at);
    if (survey.tasks > maxTasks) throw tooManyTasks(maxTasks);
  }
  return survey;
}

const tooManyTasks = (maxTasks: number): Error =>
  compileError([
    {
      pointer: '',
      message: `The dataset gives more than ${maxTasks} tasks, which is the most that is taken. Sample it, or split it.`,
      code: 'too_many_tasks',
    },
  ]);

/** Ids with equal hashes are read once more, since only their letters can tell whether they are the same. */
async function checkIds(
  survey: Survey,
  rows: ChosenRows['rows'],
  rules: RowRules,
  facts: DatasetFacts | undefined,
): Promise<void> {
  const isSuspect = survey.ids.suspects();
  if (!isSuspect) return;
  const places = new Map<string, number>();
  for await (const { row, ordinal } of rows()) {
    for (const { taskId } of planRow(row, ordinal, rules).tasks) {
      if (!isSuspect(taskId)) continue;
      const earlier = places.get(taskId);
      if (earlier === undefined) places.set(taskId, row.at);
      else survey.report(duplicateTask(taskId, placeOf(earlier, facts)), row.at);
    }
  }
}

const duplicateTask = (taskId: string, earlier: string): CompileIssue => ({
  pointer: '/id',
  message: `The id of this row becomes task id "${taskId}", as that of the row ${earlier} already does. Ids must differ in letters and digits.`,
  code: 'duplicate_task',
});

function refuse(survey: Survey, { criteria }: CriteriaPlan, facts: DatasetFacts | undefined): void {
  const rowIssues = survey.issues.map((issue) => placed(issue, facts));
  // Rows that are refused may be the very ones a criterion was meant for.
  const issues = rowIssues.length > 0 ? rowIssues : survey.unusedIssues(criteria);
  const unlisted = survey.issueCount - survey.issues.length;
  const [first] = issues;
  if (!first) return;
  const more = { pointer: '', message: `${unlisted} more are wrong in the dataset.`, code: first.code };
  throw compileError(unlisted > 0 ? [...issues, more] : issues);
}

function placeOf(at: number, facts: DatasetFacts | undefined): string {
  if (hasLines(facts)) return `on line ${at}`;
  return facts?.format === 'rows' ? `at ${facts.list ?? ''}/${at - 1}` : `number ${at}`;
}

/** Rows of a list are told by their pointer; in a file also by their number, which a person can count. */
function placed({ issue, at }: RowIssue, facts: DatasetFacts | undefined): CompileIssue {
  if (hasLines(facts)) return { ...issue, line: at };
  const pointer = facts?.list === undefined ? issue.pointer : `${facts.list}/${at - 1}${issue.pointer}`;
  return facts?.format === 'rows' && facts.list !== undefined
    ? { ...issue, pointer }
    : { ...issue, pointer, message: `Row ${at}: ${issue.message}` };
}

/** In the order of the profile; what the compiler added comes last, and only where it is used. */
function usedCriteria(
  { criteria, golden, implicit }: CriteriaPlan,
  survey: Survey,
): readonly CompiledCriterion[] {
  const added = new Set([golden, ...(implicit ? [implicit] : [])]);
  return [...criteria, ...[...added].filter((planned) => survey.isUsed(planned))].map((planned) =>
    survey.criterionOf(planned),
  );
}

const datasetOf = (facts: DatasetFacts, { sample, count }: ChosenRows): CompiledDataset => ({
  ...(facts.uri !== undefined && { uri: facts.uri }),
  sha256: facts.sha256,
  bytes: facts.bytes,
  format: facts.format,
  rows: count(),
  ...(sample && { sample: { seed: sample.seed, of: sample.of } }),
});

async function* emitTasks(
  rows: ChosenRows['rows'],
  rules: RowRules,
  survey: Survey,
  checkDataset: () => void,
): AsyncIterable<BuiltTask> {
  let count = 0;
  for await (const { row, ordinal } of rows()) {
    const plan = planRow(row, ordinal, rules);
    for (const task of buildTasks(row, plan, ({ planned }) => survey.evaluatorOf(planned))) {
      count += 1;
      yield task;
    }
  }
  if (count !== survey.tasks) throw datasetChanged();
  checkDataset();
}

/** Weights and bars were worked out on the first reading; other rows on the second would not be what they are for. */
function checkUnchanged(first: DatasetFacts | undefined, second: DatasetFacts | undefined): void {
  if (first?.sha256 !== second?.sha256) throw datasetChanged();
}

const datasetChanged = (): Error =>
  compileError([
    {
      pointer: '',
      message: 'The dataset changed while it was compiled. Compile again when nobody writes it.',
      code: 'dataset_changed',
    },
  ]);
