import { defined, type Evaluator, type JsonObject } from '@touchstone/protocol';
import { keysIfSound, memorySeedIssues } from '../../suites/index.js';
import type { DefinitionAgent, NormalRow } from '../types.js';
import type { CriteriaPlan, CriterionPlan } from './criteria.js';
import { type CompileIssue, compileIssue } from './options.js';
import { expectedOf, type RowReference, referenceOf } from './reference.js';
import { taskIdOf } from './slug.js';
import { type Need, normalName } from './thresholds.js';

type Capability = DefinitionAgent['capabilities'][number];

/** A criterion on one task: what decides it there, and what it weighs. */
export type CriterionUse = {
  readonly planned: CriterionPlan;
  readonly evaluator: Evaluator;
  readonly weight: number;
};
type UnweighedUse = Omit<CriterionUse, 'weight'>;

export type TaskPlan = {
  readonly taskId: string;
  readonly kind: 'golden' | 'rubric';
  readonly uses: readonly CriterionUse[];
  readonly reference?: RowReference;
};

/** What becomes of a row. Its tasks mean something only when there are no issues. */
export type RowPlan = CriteriaChoice & {
  readonly tasks: readonly TaskPlan[];
  readonly capability?: Capability;
  readonly schema?: JsonObject;
  /** Its expected value is compared with nothing. */
  readonly expectedUnused: boolean;
};

type CriteriaChoice = {
  readonly issues: readonly CompileIssue[];
  /** Criteria that apply to every row but lack what they need on this one. */
  readonly leftOut: readonly CriterionPlan[];
  /** Criteria that the list of the row does not name. */
  readonly unnamed: readonly CriterionPlan[];
};

export type RowRules = {
  readonly capabilities: readonly Capability[];
  readonly criteria: CriteriaPlan;
  readonly split: boolean;
};

export const NEEDED: { readonly [N in Need]: string } = {
  reference: '"expected" or "reference"',
  schema: 'an output schema',
  forbidden: '"forbidden"',
  tools: '"tools"',
};

/** Decides the tasks of a row: which criteria apply, what decides them, what they weigh. `ordinal` counts from 1. */
export function planRow(row: NormalRow, ordinal: number, rules: RowRules): RowPlan {
  const capability =
    row.capability === undefined
      ? rules.capabilities[0]
      : rules.capabilities.find(({ name }) => name === row.capability);
  // A schema without keywords accepts everything, and so checks nothing.
  const schema = [row.schema, capability?.outputs].find((one) => one && Object.keys(one).length > 0);
  const reference = referenceOf(row);
  const { uses, ...choice } = chooseCriteria(row, schema, reference, rules.criteria);
  const decided = decideTasks(row, taskIdOf(row.id, ordinal), uses, reference, rules);
  const issues = [...rowIssues(row, capability), ...choice.issues];
  return defined({
    ...decided,
    capability,
    schema,
    ...choice,
    issues: issues.length === 0 && decided.tasks.length === 0 ? [emptyRow(choice)] : issues,
  });
}

function emptyRow({ leftOut, unnamed }: CriteriaChoice): CompileIssue {
  const code = 'row_without_expectation';
  if (unnamed.length > 0)
    return compileIssue(
      code,
      `The "criteria" of this row name none, and it has no "expected", so nothing could score it. Name one of ${idsOf(unnamed)}, or leave "criteria" out.`,
      '/criteria',
    );
  const lacking = [...new Set(leftOut.flatMap(({ needs }) => (needs ? [NEEDED[needs]] : [])))];
  const message =
    leftOut.length > 0
      ? `No criterion applies to this row, so nothing could score it: ${idsOf(leftOut)} would need ${lacking.join(', or ')}. Give that, or an "expected" value.`
      : 'The profile has no criteria and this row no "expected", so nothing could score it. Give one.';
  return compileIssue(code, message);
}

const idsOf = (criteria: readonly CriterionPlan[]): string =>
  criteria.map(({ criterion }) => criterion.id).join(', ');

function chooseCriteria(
  row: NormalRow,
  schema: JsonObject | undefined,
  reference: RowReference | undefined,
  { criteria }: CriteriaPlan,
): CriteriaChoice & { readonly uses: readonly UnweighedUse[] } {
  const has: { readonly [N in Need]: boolean } = {
    reference: reference !== undefined,
    schema: schema !== undefined,
    forbidden: (row.forbidden ?? []).length > 0,
    tools: (row.tools ?? []).length > 0,
  };
  const named = row.criteria?.map(normalName);
  const uses: UnweighedUse[] = [];
  const leftOut: CriterionPlan[] = [];
  const unnamed: CriterionPlan[] = [];
  const issues = unknownNames(named ?? [], criteria);
  for (const planned of criteria) {
    const index = named?.indexOf(planned.normalName);
    const { needs, criterion } = planned;
    if (index === -1) unnamed.push(planned);
    else if (needs === undefined || has[needs]) uses.push({ planned, evaluator: criterion.evaluator });
    else if (planned.judgedWithout) uses.push({ planned, evaluator: 'judge' });
    else if (needs === 'schema' && criterion.strict) issues.push(schemaMissing(criterion.id));
    else if (index !== undefined) issues.push(dataMissing(criterion.id, needs, index));
    else leftOut.push(planned);
  }
  return { uses, leftOut, unnamed, issues };
}

function unknownNames(names: readonly string[], criteria: readonly CriterionPlan[]): CompileIssue[] {
  const message = `Expected the name of a criterion in the grading rubric: ${idsOf(criteria) || 'there is none'}.`;
  return names.flatMap((name, index) =>
    criteria.some((planned) => planned.normalName === name)
      ? []
      : [compileIssue('unknown_criterion', message, `/criteria/${index}`)],
  );
}

const schemaMissing = (id: string): CompileIssue =>
  compileIssue(
    'schema_missing',
    `Criterion ${id} is strict, but neither this row nor the agent's capability has an output schema with keywords. Give one.`,
  );

const dataMissing = (id: string, needs: Need, index: number): CompileIssue =>
  compileIssue(
    'criterion_without_data',
    `This row asks for criterion ${id}, which needs ${NEEDED[needs]}. Give it, or drop the name.`,
    `/criteria/${index}`,
  );

function decideTasks(
  row: NormalRow,
  taskId: string,
  uses: readonly UnweighedUse[],
  reference: RowReference | undefined,
  { criteria: { golden, implicit }, split }: RowRules,
): Pick<RowPlan, 'tasks' | 'expectedUnused'> {
  const goldenTask = goldenTaskOf(row, taskId, golden);
  if (uses.length === 0) return { tasks: goldenTask ? [goldenTask] : [], expectedUnused: false };
  const rubric = (id: string, all: readonly UnweighedUse[]): TaskPlan =>
    defined({ taskId: id, kind: 'rubric' as const, uses: weigh(all), reference });
  if (goldenTask && split)
    return { tasks: [goldenTask, rubric(`${taskId}-rubric`, uses)], expectedUnused: false };
  const isRead = !goldenTask || uses.some(({ planned }) => planned.readsReference);
  if (isRead || !implicit) return { tasks: [rubric(taskId, uses)], expectedUnused: !isRead };
  const added = { planned: implicit, evaluator: implicit.criterion.evaluator };
  return { tasks: [rubric(taskId, [...uses, added])], expectedUnused: false };
}

function goldenTaskOf(row: NormalRow, taskId: string, planned: CriterionPlan): TaskPlan | undefined {
  const reference = expectedOf(row);
  const uses: readonly CriterionUse[] = [{ planned, evaluator: 'reference-match', weight: 1 }];
  return reference && { taskId, kind: 'golden', uses, reference };
}

/** Hard criteria share the whole weight and soft ones get none, so that a warning cannot move a score. */
function weigh(uses: readonly UnweighedUse[]): readonly CriterionUse[] {
  const strict = uses.filter(({ planned }) => planned.criterion.strict).length;
  const share = 1 / (strict || uses.length);
  return uses.map(({ planned, evaluator }) => ({
    planned,
    evaluator,
    weight: strict === 0 || planned.criterion.strict ? share : 0,
  }));
}

function rowIssues(row: NormalRow, capability: Capability | undefined): readonly CompileIssue[] {
  const { tools = [], memory = [] } = row;
  const unknown = 'Expected the name of a capability that the agent declares.';
  const unsound =
    'Expected plain JSON: finite numbers, well-formed text, not nested too deep. Something here is not.';
  const nameless = 'Expected the name of a tool, got an empty one.';
  return [
    ...(row.capability !== undefined && capability === undefined
      ? [compileIssue('unknown_capability', unknown, '/capability')]
      : []),
    ...(isSound(row) ? [] : [compileIssue('unsound_row', unsound)]),
    ...tools.flatMap(({ tool }, index) =>
      tool === '' ? [compileIssue('invalid_fixture', nameless, `/tools/${index}/tool`)] : [],
    ),
    ...memory.flatMap((seed, index) =>
      memorySeedIssues(seed, `/memory/${index}`).map(({ pointer, message }) =>
        compileIssue('invalid_fixture', message, pointer),
      ),
    ),
  ];
}

// Nested as deep as anything of a row will stand in the suite, so that what is let in here fits there.
function isSound({ id = '', input, expected = null, reference = null, ...row }: NormalRow): boolean {
  const { beside = null, schema = null, forbidden = [], tools = [], memory = [] } = row;
  const parts = [id, input, beside, expected, reference, schema, forbidden, tools, memory];
  return keysIfSound([[[[parts]]]]) !== undefined;
}
