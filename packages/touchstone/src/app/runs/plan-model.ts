import { type EvalPlan, type Owner, validationError } from '@touchstone/protocol';
import type { AgentFacts } from '../../ports/index.js';
import type { AgentCatalogue } from '../catalogue/agent-catalogue.js';
import { readModelRequest } from './model-request.js';

export type ModelPlanParts = Pick<AgentCatalogue, 'chooseModel' | 'chooseUser'>;

/** Decides which model the run asks, for agents whose model is ours to ask. */
export async function planModel(
  { chooseModel }: ModelPlanParts,
  owner: Owner,
  facts: AgentFacts,
  { configurable = {} }: { readonly configurable?: { readonly [key: string]: unknown } },
): Promise<Pick<EvalPlan, 'model' | 'cache'>> {
  const { cache, issues, ...asked } = readModelRequest(configurable, facts);
  if (issues.length > 0) throw validationError(issues);
  const decided = await chooseModel(owner, facts, asked);
  if ('issue' in decided) {
    const pointer = asked.name === undefined ? '/agentId' : '/configurable/model';
    throw validationError([{ pointer, message: decided.issue }]);
  }
  return { ...(decided.model && { model: decided.model }), ...(cache && { cache }) };
}

/** Decides who plays the user, where a task has one. */
export async function planUser(
  { chooseUser }: ModelPlanParts,
  owner: Owner,
  facts: AgentFacts,
  isNeeded: () => boolean | Promise<boolean>,
): Promise<Pick<EvalPlan, 'simulatedUser'>> {
  if (!facts.conversation?.hasUser || !(await isNeeded())) return {};
  const decided = await chooseUser(owner, facts);
  if (!('issue' in decided)) return decided;
  const message = `The simulated user cannot be asked. ${decided.issue}`;
  throw validationError([{ pointer: '/agentId', message }], { field: 'agentId' });
}
