import type { Evaluator, JsonObject } from '@touchstone/protocol';
import { keysIfSound, memorySeedIssues } from '../../suites/index.js';
import type { NormalRow, ProfiledAgent } from '../types.js';
import type { CriteriaPlan, PlannedCriterion } from './criteria.js';
import { expectedOf, type RowReference, referenceOf } from './reference.js';
import { taskIdOf } from './slug.js';
import type { CompileIssue } from './trouble.js';
import { type Need, normalName } from './well-known.js';

type Capability = ProfiledAgent['capabilities'][number];

/** A criterion on one task: who decides it there, and what it weighs. */
export type Use = {
  readonly planned: PlannedCriterion;
  readonly evaluator: Evaluator;
  readonly weight: number;
};
export type PlannedTask = {
  readonly taskId: string;
  readonly kind: 'golden' | 'rubric';
  readonly uses: readonly Use[];
  readonly reference?: RowReference;
};

/** What becomes of a row. Its tasks mean something only when there are no issues. */
export type RowPlan = {
  readonly tasks: readonly PlannedTask[];
  readonly capability?: Capability;
  readonly schema?: JsonObject;
  readonly issues: readonly CompileIssue[];
  /** Criteria that apply to every row but lack what they need on this one. */
  readonly leftOut: readonly PlannedCriterion[];
  /** Criteria that the list of the row does not name. */
  readonly unnamed: readonly PlannedCriterion[];
  /** Its expected value is compared with nothing. */
  readonly expectedUnused: boolean;
};

export type RowRules = {
  readonly capabilities: readonly Capability[];
  readonly criteria: CriteriaPlan;
  readonly split: boolean;
};

/** Decides the tasks of a row: which criteria apply, who decides them, what they weigh. `ordinal` counts from 1. */
export function planRow(row: NormalRow, ordinal: number, rules: RowRules): RowPlan {
  const capability =
    row.capability === undefined
      ? rules.capabilities[0]
      : rules.capabilities.find(({ name }) => name === row.capability);
  const schema = [row.schema, capability?.outputs].find(isUsable);
  const reference = referenceOf(row);
  const chosen = chooseCriteria(row, suppliesOf(row, schema, reference), rules.criteria);
  const taskId = taskIdOf(row.id, ordinal);
  const decided = decideTasks(row, taskId, chosen.uses, reference, rules);
  const issues = [...rowIssues(row, capability), ...chosen.issues];
  return {
    tasks: decided.tasks,
    ...(capability && { capability }),
    ...(schema && { schema }),
    issues: issues.length === 0 && decided.tasks.length === 0 ? [emptyRow(chosen)] : issues,
    leftOut: chosen.leftOut,
    unnamed: chosen.unnamed,
    expectedUnused: decided.expectedUnused,
  };
}

function emptyRow({ leftOut, unnamed }: Chosen): CompileIssue {
  const code = 'row_without_expectation';
  const idsOf = (criteria: readonly PlannedCriterion[]) =>
    criteria.map(({ criterion }) => criterion.id).join(', ');
  if (unnamed.length > 0) {
    const message = `The "criteria" of this row name none, and it has no "expected", so nothing could score it. Name one of ${idsOf(unnamed)}, or leave "criteria" out.`;
    return { pointer: '/criteria', message, code };
  }
  const lacking = [...new Set(leftOut.flatMap(({ needs }) => (needs ? [NEEDED[needs]] : [])))];
  const message =
    leftOut.length > 0
      ? `No criterion applies to this row, so nothing could score it: ${idsOf(leftOut)} would need ${lacking.join(', or ')}. Give that, or an "expected" value.`
      : 'The profile has no criteria and this row no "expected", so nothing could score it. Give one.';
  return { pointer: '', message, code };
}

/** A schema without keywords accepts everything, and so checks nothing. */
const isUsable = (schema: JsonObject | undefined): boolean =>
  schema !== undefined && Object.keys(schema).length > 0;

type Supplies = { readonly [N in Need]: boolean };

const suppliesOf = (
  row: NormalRow,
  schema: JsonObject | undefined,
  reference: RowReference | undefined,
): Supplies => ({
  reference: reference !== undefined,
  schema: schema !== undefined,
  forbidden: (row.forbidden ?? []).length > 0,
  tools: (row.tools ?? []).length > 0,
});

type Chosen = {
  readonly uses: readonly Omit<Use, 'weight'>[];
  readonly leftOut: readonly PlannedCriterion[];
  readonly unnamed: readonly PlannedCriterion[];
  readonly issues: readonly CompileIssue[];
};

function chooseCriteria(row: NormalRow, supplies: Supplies, { criteria }: CriteriaPlan): Chosen {
  const named = row.criteria?.map(normalName);
  const uses: Omit<Use, 'weight'>[] = [];
  const leftOut: PlannedCriterion[] = [];
  const unnamed: PlannedCriterion[] = [];
  const issues = unknownNames(named ?? [], criteria);
  for (const planned of criteria) {
    const place = named?.indexOf(planned.normalName);
    const { needs, criterion } = planned;
    if (place === -1) unnamed.push(planned);
    else if (needs === undefined || supplies[needs]) uses.push({ planned, evaluator: criterion.evaluator });
    else if (planned.judgedWithout) uses.push({ planned, evaluator: 'judge' });
    else if (needs === 'schema' && criterion.strict) issues.push(schemaMissing(criterion.id));
    else if (place !== undefined) issues.push(dataMissing(criterion.id, needs, place));
    else leftOut.push(planned);
  }
  return { uses, leftOut, unnamed, issues };
}

const unknownNames = (names: readonly string[], criteria: readonly PlannedCriterion[]): CompileIssue[] =>
  names.flatMap((name, place) =>
    criteria.some((criterion) => criterion.normalName === name)
      ? []
      : [
          {
            pointer: `/criteria/${place}`,
            message: `Expected the name of a criterion in the grading rubric: ${criteria.map(({ criterion }) => criterion.id).join(', ') || 'there is none'}.`,
            code: 'unknown_criterion',
          } as const,
        ],
  );

const schemaMissing = (id: string): CompileIssue => ({
  pointer: '',
  message: `Criterion ${id} is strict, but neither this row nor the agent's capability has an output schema with keywords. Give one.`,
  code: 'schema_missing',
});

const dataMissing = (id: string, needs: Need, place: number): CompileIssue => ({
  pointer: `/criteria/${place}`,
  message: `This row asks for criterion ${id}, which needs ${NEEDED[needs]}. Give it, or drop the name.`,
  code: 'criterion_without_data',
});

export const NEEDED: { readonly [N in Need]: string } = {
  reference: '"expected" or "reference"',
  schema: 'an output schema',
  forbidden: '"forbidden"',
  tools: '"tools"',
};

type Decided = { readonly tasks: readonly PlannedTask[]; readonly expectedUnused: boolean };

function decideTasks(
  row: NormalRow,
  taskId: string,
  uses: Chosen['uses'],
  reference: RowReference | undefined,
  { criteria, split }: RowRules,
): Decided {
  const golden = goldenTask(row, taskId, criteria.golden);
  if (uses.length === 0) return { tasks: golden ? [golden] : [], expectedUnused: false };
  const rubric = (id: string, all: Chosen['uses']): PlannedTask => ({
    taskId: id,
    kind: 'rubric',
    uses: weigh(all),
    ...(reference && { reference }),
  });
  if (golden && split) return { tasks: [golden, rubric(`${taskId}-rubric`, uses)], expectedUnused: false };
  const isRead = !golden || uses.some(readsReference);
  if (isRead || !criteria.implicit) return { tasks: [rubric(taskId, uses)], expectedUnused: !isRead };
  const added = { planned: criteria.implicit, evaluator: criteria.implicit.criterion.evaluator };
  return { tasks: [rubric(taskId, [...uses, added])], expectedUnused: false };
}

function goldenTask(row: NormalRow, taskId: string, planned: PlannedCriterion): PlannedTask | undefined {
  const reference = expectedOf(row);
  const use: Use = { planned, evaluator: 'reference-match', weight: 1 };
  return reference && { taskId, kind: 'golden', uses: [use], reference };
}

const readsReference = ({ planned }: Omit<Use, 'weight'>): boolean => planned.readsReference;

/** Hard criteria share the whole weight and soft ones get none, so that a warning cannot move a score. */
function weigh(uses: Chosen['uses']): readonly Use[] {
  const strict = uses.filter(({ planned }) => planned.criterion.strict).length;
  const share = 1 / (strict || uses.length);
  return uses.map(({ planned, evaluator }) => ({
    planned,
    evaluator,
    weight: strict === 0 || planned.criterion.strict ? share : 0,
  }));
}

function rowIssues(row: NormalRow, capability: Capability | undefined): readonly CompileIssue[] {
  const issues: CompileIssue[] = [];
  if (row.capability !== undefined && capability === undefined)
    issues.push({
      pointer: '/capability',
      message: 'Expected the name of a capability that the agent declares.',
      code: 'unknown_capability',
    });
  if (!isSound(row))
    issues.push({
      pointer: '',
      message:
        'Expected plain JSON: finite numbers, well-formed text, not nested too deep. Something here is not.',
      code: 'unsound_row',
    });
  return [...issues, ...fixtureIssues(row)];
}

// Nested as deep as anything of a row will stand in the suite, so that what is let in here fits there.
const isSound = ({ id = '', input, expected = null, reference = null, ...row }: NormalRow): boolean => {
  const { beside = null, schema = null, forbidden = [], tools = [], memory = [] } = row;
  const parts = [id, input, beside, expected, reference, schema, forbidden, tools, memory];
  return keysIfSound([[[[parts]]]]) !== undefined;
};

const fixtureIssues = ({ tools = [], memory = [] }: NormalRow): readonly CompileIssue[] => [
  ...tools.flatMap(({ tool }, index) =>
    tool === ''
      ? [
          {
            pointer: `/tools/${index}/tool`,
            message: 'Expected the name of a tool, got an empty one.',
            code: 'invalid_fixture',
          } as const,
        ]
      : [],
  ),
  ...memory.flatMap((seed, index) =>
    memorySeedIssues(seed, `/memory/${index}`).map((issue) => ({
      ...issue,
      code: 'invalid_fixture' as const,
    })),
  ),
];
