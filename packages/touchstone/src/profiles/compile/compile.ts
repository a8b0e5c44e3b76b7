import { defined, type EvalMode, type Thresholds } from '@touchstone/protocol';
import type { ContractCriterion, EvalContract, EvaluationProfile } from '@touchstone/protocol/bodies';
import { buildTasks, type TaskOutput } from './build-task.js';
import { type CriteriaPlan, planCriteria } from './criteria.js';
import {
  type CompileInput,
  type CompileIssue,
  type CompileWarning,
  compileError,
  compileIssue,
  type DatasetFacts,
  optionIssues,
} from './options.js';
import { planRow, type RowRules } from './plan-row.js';
import { createRowCheck, schemaIssues } from './row-check.js';
import { type ChosenRows, chooseRows } from './sample.js';
import { frameSuite, profilePointer, type SuiteFrame, type SuiteIdentity } from './suite-frame.js';
import { hasLines, type RowIssue, Survey } from './survey.js';

/** Everything that is known once the rows have been read, and a second reading that makes the tasks. */
export type Compilation = {
  readonly identity: SuiteIdentity;
  readonly modes: readonly EvalMode[];
  readonly thresholds: Thresholds;
  readonly criteria: readonly ContractCriterion[];
  readonly dataset?: NonNullable<EvalContract['dataset']>;
  readonly warnings: readonly CompileWarning[];
  tasks(): AsyncIterable<TaskOutput>;
};

/** Checks a profile against its rows. Throws `validation_error` with everything that is wrong, each with its code. */
export async function surveyProfile(input: CompileInput): Promise<Compilation> {
  const { agent, options = {} } = input;
  const { profile, frame, plan } = await readProfile(input);
  if (!input.rows) throw noTasks(input, profile);
  const rules = { capabilities: agent.capabilities, criteria: plan, split: options.split ?? false };
  const chosen = await chooseRows(input.rows, options);
  const survey = await surveyRows(chosen, rules, input);
  const facts = input.dataset?.();
  if (survey.tasks === 0 && survey.issueCount === 0) throw noTasks(input, profile, facts);
  await checkIds(survey, chosen, rules, facts);
  refuseRows(survey, plan, facts);
  const rubric = `${profilePointer(agent)}/grading_rubric`;
  return defined({
    identity: frame.identity,
    modes: survey.modes,
    thresholds: { passScore: survey.passScore, ...frame.ceilings },
    criteria: usedCriteria(plan, survey),
    dataset: facts && datasetOf(facts, chosen),
    warnings: [
      ...frame.warnings,
      ...plan.warnings,
      ...survey.warnings(plan.criteria, rubric, hasLines(facts), frame.ceilings),
    ],
    tasks: () => emitTasks(chosen, rules, survey, () => facts?.sha256 === input.dataset?.().sha256),
  });
}

/** Reads what needs no rows, and refuses before the first one is fetched. */
async function readProfile({ agent, schemas, options = {} }: CompileInput): Promise<{
  readonly profile: EvaluationProfile;
  readonly frame: SuiteFrame;
  readonly plan: CriteriaPlan;
}> {
  const pointer = profilePointer(agent);
  const profile = agent.evaluation;
  if (!profile)
    throw compileError(
      compileIssue('no_profile', 'Expected an evaluation profile: this agent carries none.', pointer),
    );
  const frame = frameSuite(agent, options);
  const plan = planCriteria(profile, `${pointer}/grading_rubric`, options);
  const unusable = await schemaIssues(agent, schemas);
  const issues = [...optionIssues(options), ...frame.issues, ...plan.issues, ...unusable];
  if (issues.length > 0) throw compileError(...issues);
  return { profile, frame, plan };
}

function noTasks({ agent }: CompileInput, profile: EvaluationProfile, facts?: DatasetFacts): Error {
  if (facts?.format === 'rows')
    return compileError(
      compileIssue('no_tasks', 'Expected at least one row; the list is empty.', facts.list),
    );
  const message = profile.golden_dataset_uri
    ? 'Expected a dataset with at least one row; this one has none.'
    : 'Expected a golden dataset or rows handed in: a suite has at least one task.';
  return compileError(compileIssue('no_tasks', message, `${profilePointer(agent)}/golden_dataset_uri`));
}

async function surveyRows(
  { rows }: ChosenRows,
  rules: RowRules,
  { schemas, options: { maxTasks = Number.POSITIVE_INFINITY } = {} }: CompileInput,
): Promise<Survey> {
  const survey = new Survey();
  const check = createRowCheck(schemas);
  for await (const { row, ordinal } of rows()) {
    const plan = planRow(row, ordinal, rules);
    survey.add(row, plan);
    for (const issue of await check(row, plan)) survey.report(issue, row.at);
    if (survey.tasks <= maxTasks) continue;
    const message = `The dataset gives more than ${maxTasks} tasks, which is the most that is taken. Sample it, or split it.`;
    throw compileError(compileIssue('too_many_tasks', message));
  }
  return survey;
}

/** Ids with equal hashes are read once more, since only their letters can tell whether they are the same. */
async function checkIds(
  survey: Survey,
  { rows }: ChosenRows,
  rules: RowRules,
  facts: DatasetFacts | undefined,
): Promise<void> {
  const mayRepeat = survey.ids.repeats();
  if (!mayRepeat) return;
  const firstRows = new Map<string, number>();
  for await (const { row, ordinal } of rows()) {
    for (const { taskId } of planRow(row, ordinal, rules).tasks.filter((task) => mayRepeat(task.taskId))) {
      const earlier = firstRows.get(taskId);
      if (earlier === undefined) firstRows.set(taskId, row.at);
      else survey.report(duplicateTask(taskId, locationOf(earlier, facts)), row.at);
    }
  }
}

const duplicateTask = (taskId: string, earlier: string): CompileIssue =>
  compileIssue(
    'duplicate_task',
    `The id of this row becomes task id "${taskId}", as that of the row ${earlier} already does. Ids must differ in letters and digits.`,
    '/id',
  );

function refuseRows(survey: Survey, { criteria }: CriteriaPlan, facts: DatasetFacts | undefined): void {
  const rowIssues = survey.issues.map((issue) => locate(issue, facts));
  // Rows that are refused may be the very ones a criterion was meant for.
  const issues = rowIssues.length > 0 ? rowIssues : survey.unusedIssues(criteria);
  const unlisted = survey.issueCount - survey.issues.length;
  const [first] = issues;
  if (!first) return;
  const more = compileIssue(first.code, `${unlisted} more are wrong in the dataset.`);
  throw compileError(...issues, ...(unlisted > 0 ? [more] : []));
}

function locationOf(at: number, facts: DatasetFacts | undefined): string {
  if (hasLines(facts)) return `on line ${at}`;
  return facts?.format === 'rows' ? `at ${facts.list ?? ''}/${at - 1}` : `number ${at}`;
}

/** Rows of a list are named by their pointer; in a file also by their number, which a person can count. */
function locate({ issue, at }: RowIssue, facts: DatasetFacts | undefined): CompileIssue {
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
): readonly ContractCriterion[] {
  const added = [...new Set([golden, ...(implicit ? [implicit] : [])])];
  return [...criteria, ...added.filter((planned) => survey.isUsed(planned))].map((planned) =>
    survey.criterionOf(planned),
  );
}

const datasetOf = (
  { uri, sha256, bytes, format }: DatasetFacts,
  { sample, count }: ChosenRows,
): NonNullable<Compilation['dataset']> => defined({ uri, sha256, bytes, format, rows: count(), sample });

/** Weights and bars were worked out on the first reading; other rows on the second would not be what they are for. */
async function* emitTasks(
  { rows }: ChosenRows,
  rules: RowRules,
  survey: Survey,
  isUnchanged: () => boolean,
): AsyncIterable<TaskOutput> {
  let count = 0;
  for await (const { row, ordinal } of rows()) {
    const tasks = buildTasks(row, planRow(row, ordinal, rules), (use) => survey.evaluatorOf(use.planned));
    count += tasks.length;
    for (const task of tasks) yield task;
  }
  if (count === survey.tasks && isUnchanged()) return;
  const message = 'The dataset changed while it was compiled. Compile again when nothing writes to it.';
  throw compileError(compileIssue('dataset_changed', message));
}
