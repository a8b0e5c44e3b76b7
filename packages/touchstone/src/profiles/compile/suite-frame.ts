import { asId, child, type SuiteId, type Version } from '@touchstone/protocol';
import { keysIfSound } from '../../suites/index.js';
import type { DefinitionAgent } from '../types.js';
import { type CompileIssue, type CompileOptions, type CompileWarning, compileIssue } from './options.js';
import { shortSlugOf } from './slug.js';

export type SuiteIdentity = {
  readonly suiteId: SuiteId;
  readonly version: Version;
  readonly targetAgentId: string;
};

/** Bars that the profile and the policy set, besides the score. */
export type Ceilings = { readonly maxP95LatencyMs?: number; readonly maxCostUsd?: number };

export type SuiteFrame = {
  readonly identity: SuiteIdentity;
  readonly ceilings: Ceilings;
  readonly issues: readonly CompileIssue[];
  readonly warnings: readonly CompileWarning[];
};

const VERSION = /^(\d+\.\d+\.\d+)([-+].*)?$/;

/** Where the profile of an agent stands in its definition. */
export const profilePointer = ({ form, id }: DefinitionAgent): string =>
  form === 'A' ? '/evaluation' : `${child('/definitions', id)}/evaluation`;

/** Where the schemas of an agent's capability stand in its definition. */
export const capabilityPointer = ({ form, id }: DefinitionAgent, index: number): string =>
  form === 'A' ? `/capabilities/${index}` : `${child('/definitions', id)}/interface`;

/** Everything about a suite but its tasks and the score it must reach. */
export function frameSuite(agent: DefinitionAgent, options: CompileOptions): SuiteFrame {
  const version = versionOf(agent);
  const latency = latencyCeiling(agent, options);
  const budget = costCeiling(agent, options);
  const parts = [version, latency, budget, ownModel(agent), soundness(agent)];
  return {
    identity: {
      suiteId: suiteIdOf(agent, options),
      version: asId<Version>(version.core),
      targetAgentId: options.targetAgentId ?? agent.id,
    },
    ceilings: { ...budget.ceiling, ...latency.ceiling },
    issues: parts.flatMap(({ issue }) => issue ?? []),
    warnings: parts.flatMap(({ warning }) => warning ?? []),
  };
}

/** What is wrong with one part of the definition, or what its author should know. */
type PartCheck = { readonly issue?: CompileIssue; readonly warning?: CompileWarning };

function suiteIdOf({ form, id, name, author }: DefinitionAgent, options: CompileOptions): SuiteId {
  const names = form === 'A' ? [name, id] : [id, name];
  const own = options.name ?? (names.map(shortSlugOf).find((slug) => slug !== '') || 'agent');
  const owner = options.org ?? (shortSlugOf(author ?? '') || 'local');
  return asId<SuiteId>(`${options.scope ?? 'local'}.${owner}.evals.${own}`);
}

/** A suite's version has three numbers and no more; what stands behind them is kept in the contract alone. */
function versionOf({ version }: DefinitionAgent): PartCheck & { readonly core: string } {
  const [, core, rest] = VERSION.exec(version) ?? [];
  const pointer = '/metadata/version';
  const expected = 'Expected a version that begins with three numbers, such as 1.2.0.';
  if (core === undefined) return { core: '', issue: compileIssue('invalid_version', expected, pointer) };
  const message = `The suite is called ${core}: suites have no pre-release or build part. Change the numbers before compiling other content.`;
  return rest === undefined ? { core } : { core, warning: { code: 'version_shortened', message, pointer } };
}

function latencyCeiling(
  agent: DefinitionAgent,
  { sla }: CompileOptions,
): PartCheck & { readonly ceiling: Ceilings } {
  const latency = agent.evaluation?.expected_latency_ms ?? null;
  const pointer = `${profilePointer(agent)}/expected_latency_ms`;
  if (latency === null) return { ceiling: {} };
  const negative = 'Expected a latency of at least 0 ms, got a negative one.';
  if (latency < 0) return { ceiling: {}, issue: compileIssue('negative_latency', negative, pointer) };
  const ceiling = sla === 'warn' ? {} : { maxP95LatencyMs: latency };
  const message = 'An expected latency of 0 ms is a bound like any other, and hardly an agent meets it.';
  return latency === 0 ? { ceiling, warning: { code: 'zero_latency', message, pointer } } : { ceiling };
}

/** The cap is meant for runs of the agent, so it becomes a threshold of its evaluation only when asked for. */
function costCeiling(
  { budgetCaps }: DefinitionAgent,
  { budget }: CompileOptions,
): PartCheck & { readonly ceiling: Ceilings } {
  const pointer = '/policy/budget_caps/total_cost';
  const cost = budgetCaps?.total_cost;
  if (!budget) return { ceiling: {} };
  const message = 'The definition sets no total cost, so the suite has no cost threshold.';
  if (cost === undefined) return { ceiling: {}, warning: { code: 'budget_missing', message, pointer } };
  const negative = 'Expected a total cost of at least 0, got a negative one.';
  if (cost < 0) return { ceiling: {}, issue: compileIssue('negative_budget', negative, pointer) };
  return { ceiling: { maxCostUsd: cost } };
}

function ownModel(agent: DefinitionAgent): PartCheck {
  const judge = agent.evaluation?.evaluator_model;
  if (!judge || judge !== agent.model) return {};
  const message = 'The evaluator is the model of the agent itself, and models favour their own answers.';
  const pointer = `${profilePointer(agent)}/evaluator_model`;
  return { warning: { code: 'judge_is_agent_model', message, pointer } };
}

function soundness(agent: DefinitionAgent): PartCheck {
  const { id, name, evaluation = null } = agent;
  if (keysIfSound([id, name, evaluation]) !== undefined) return {};
  const message = 'Expected finite numbers and well-formed text. Something here is not.';
  return { issue: compileIssue('unsound_profile', message, profilePointer(agent)) };
}
