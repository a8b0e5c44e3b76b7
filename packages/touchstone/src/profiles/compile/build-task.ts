import { defined, type Evaluator, type Json, type JsonObject } from '@touchstone/protocol';
import type { ContractTask } from '@touchstone/protocol/bodies';
import type { NormalRow } from '../types.js';
import type { CriterionUse, RowPlan, TaskPlan } from './plan-row.js';
import { contractReference, criterionText } from './reference.js';
import { wrapInput } from './row-check.js';

/** A task as the suite holds it. */
export type SuiteTask = {
  readonly taskId: string;
  readonly input: Json;
  readonly expected: JsonObject;
  readonly fixtures?: JsonObject;
};

/** A task of the suite, and what the contract says about it. */
export type TaskOutput = { readonly task: SuiteTask; readonly terms: ContractTask };

/** `evaluatorOf` gives the evaluator of a criterion in the contract; tasks name theirs only where it differs. */
export const buildTasks = (
  row: NormalRow,
  rowPlan: RowPlan,
  evaluatorOf: (use: CriterionUse) => Evaluator,
): readonly TaskOutput[] =>
  rowPlan.tasks.map((plan) => ({
    task: defined({
      taskId: plan.taskId,
      input: wrapInput(row.input, row.beside, rowPlan.capability?.inputs),
      expected: expectedBlock(plan),
      fixtures: fixturesOf(row),
    }),
    terms: contractTask(row, plan, rowPlan.schema, evaluatorOf),
  }));

function expectedBlock({ kind, uses, reference }: TaskPlan): JsonObject {
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
    ...(tools.length > 0 && {
      toolResponses: tools.map(({ tool, response }) => defined({ tool, response })),
    }),
    ...(memory.length > 0 && { memorySeed: memory as unknown as readonly JsonObject[] }),
  };
}

/** Only what some criterion of the task looks at: a contract is read at every run. */
function contractTask(
  { forbidden = [], tools = [] }: NormalRow,
  { uses, reference }: TaskPlan,
  schema: JsonObject | undefined,
  evaluatorOf: (use: CriterionUse) => Evaluator,
): ContractTask {
  const has = (...evaluators: Evaluator[]): boolean => uses.some((use) => evaluators.includes(use.evaluator));
  const isRead = reference && uses.some(({ planned }) => planned.readsReference);
  const others = uses.filter((use) => use.evaluator !== evaluatorOf(use));
  return {
    criteria: uses.map(({ planned }) => planned.criterion.id),
    ...(isRead && { reference: contractReference(reference) }),
    // These compare by the strategy of the row.
    ...(isRead && has('reference-match', 'normalized-match') && { match: reference.match }),
    ...(schema && has('schema-validity') && { schema }),
    ...(has('forbidden-content') && { forbidden }),
    ...(has('tool-usage') && { tools: [...new Set(tools.map(({ tool }) => tool))] }),
    ...(others.length > 0 && {
      evaluators: Object.fromEntries(others.map((use) => [use.planned.criterion.id, use.evaluator])),
    }),
  };
}
