import type { Evaluator, Json, JsonObject } from '@touchstone/protocol';
import type { ContractTask } from '@touchstone/protocol/bodies';
import type { NormalRow } from '../types.js';
import { criterionText } from './criterion-text.js';
import type { PlannedTask, RowPlan, Use } from './plan-row.js';
import { contractReference, type RowReference } from './reference.js';
import { wrapInput } from './wrap-input.js';

/** A task as the suite holds it. */
export type SuiteTask = {
  readonly taskId: string;
  readonly input: Json;
  readonly expected: JsonObject;
  readonly fixtures?: JsonObject;
};

/** What the criteria of one task are held against, and who decides them where that is not the criterion's own evaluator. */
export type CompiledTask = ContractTask & {
  readonly evaluators?: { readonly [criterionId: string]: Evaluator };
};

export type BuiltTask = { readonly task: SuiteTask; readonly terms: CompiledTask };

/** The evaluator that stands for a criterion in the contract; tasks name theirs only where it differs. */
export type EvaluatorOf = (use: Use) => Evaluator;

export const buildTasks = (row: NormalRow, plan: RowPlan, evaluatorOf: EvaluatorOf): readonly BuiltTask[] =>
  plan.tasks.map((planned) => ({
    task: suiteTask(row, planned, plan),
    terms: contractTask(row, planned, plan.schema, evaluatorOf),
  }));

function suiteTask(row: NormalRow, planned: PlannedTask, { capability }: RowPlan): SuiteTask {
  const fixtures = fixturesOf(row);
  return {
    taskId: planned.taskId,
    input: wrapInput(row.input, row.beside, capability?.inputs),
    expected: expectedBlock(planned),
    ...(fixtures && { fixtures }),
  };
}

function expectedBlock({ kind, uses, reference }: PlannedTask): JsonObject {
  const value = reference?.acceptable[0];
  if (kind === 'golden' && reference && value !== undefined)
    return { kind, match: { strategy: reference.match, value } };
  const rubric = uses.map(({ planned: { criterion, readsReference }, weight }) => ({
    criterion: criterionText(criterion, readsReference ? reference : undefined),
    weight,
  }));
  return { kind, rubric };
}

/** An empty list is no fixture: it would forbid every live call where the row asked for nothing. */
function fixturesOf({ tools = [], memory = [] }: NormalRow): JsonObject | undefined {
  if (tools.length === 0 && memory.length === 0) return undefined;
  return {
    ...(tools.length > 0 && { toolResponses: tools.map(({ tool, response }) => responseOf(tool, response)) }),
    ...(memory.length > 0 && { memorySeed: memory as unknown as readonly JsonObject[] }),
  };
}

const responseOf = (tool: string, response: Json | undefined): JsonObject =>
  response === undefined ? { tool } : { tool, response };

/** Only what some criterion of the task looks at: a contract is read at every run. */
function contractTask(
  { forbidden = [], tools = [] }: NormalRow,
  { uses, reference }: PlannedTask,
  schema: JsonObject | undefined,
  evaluatorOf: EvaluatorOf,
): CompiledTask {
  const has = (evaluator: Evaluator): boolean => uses.some((use) => use.evaluator === evaluator);
  const evaluators = uses
    .filter((use) => use.evaluator !== evaluatorOf(use))
    .map((use) => [use.planned.criterion.id, use.evaluator] as const);
  return {
    criteria: uses.map(({ planned }) => planned.criterion.id),
    ...referencePart(uses, reference),
    ...(schema && has('schema-validity') && { schema }),
    ...(has('forbidden-content') && { forbidden }),
    ...(has('tool-usage') && { tools: [...new Set(tools.map(({ tool }) => tool))] }),
    ...(evaluators.length > 0 && { evaluators: Object.fromEntries(evaluators) }),
  };
}

/** These compare by the strategy of the row. */
const MATCHERS: readonly Evaluator[] = ['reference-match', 'normalized-match'];

function referencePart(
  uses: readonly Use[],
  reference: RowReference | undefined,
): Pick<ContractTask, 'reference' | 'match'> {
  if (!reference || !uses.some(({ planned }) => planned.readsReference)) return {};
  const isMatched = uses.some(({ evaluator }) => MATCHERS.includes(evaluator));
  return { reference: contractReference(reference), ...(isMatched && { match: reference.match }) };
}
