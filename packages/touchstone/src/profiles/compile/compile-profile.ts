import type { EvalMode, Json, Thresholds } from '@touchstone/protocol';
import type { EvalContract } from '@touchstone/protocol/bodies';
import { digestOf } from '../../suites/index.js';
import type { ProfiledAgent, ProfileWarning } from '../types.js';
import type { CompiledTask, SuiteTask } from './build-task.js';
import { type Compilation, surveyProfile } from './compile.js';
import type { CompileInput, CompileOptions } from './options.js';
import { Size } from './size.js';
import type { SuiteIdentity } from './suite-frame.js';

/** An AgentEvalSuite document. */
export type CompiledSuite = SuiteIdentity & {
  readonly modes: readonly EvalMode[];
  readonly thresholds: Thresholds;
  readonly tasks: readonly SuiteTask[];
};

export type Compiled = {
  readonly suite: CompiledSuite;
  readonly contract: EvalContract;
  readonly warnings: readonly ProfileWarning[];
};

/** Makes the suite and the contract of a profile, as values. Long datasets are better written than held. */
export async function compileProfile(input: CompileInput): Promise<Compiled> {
  const compilation = await surveyProfile(input);
  const { maxBytes = Number.POSITIVE_INFINITY } = input.options ?? {};
  const size = new Size(input.agent, compilation.criteria, maxBytes);
  const tasks: SuiteTask[] = [];
  const terms: [string, CompiledTask][] = [];
  for await (const built of compilation.tasks()) {
    size.add(built);
    tasks.push(built.task);
    terms.push([built.task.taskId, built.terms]);
  }
  const { identity, modes, thresholds, warnings } = compilation;
  const suite: CompiledSuite = { ...identity, modes, thresholds, tasks };
  const { contractVersion, suiteId, suiteVersion, ...rest } = contractHead(compilation, input);
  const contract: EvalContract = {
    contractVersion,
    suiteId,
    suiteVersion,
    suiteSha256: digestOf(suite as unknown as Json).slice('sha256:'.length),
    ...rest,
    tasks: Object.fromEntries(terms),
  };
  return { suite, contract, warnings };
}

/** A contract without its tasks, of which there may be a million. */
export type ContractHead = Omit<EvalContract, 'suiteSha256' | 'tasks'>;

/** The contract without its tasks and without the digest of the suite, which is known only when the last task is. */
export function contractHead(
  { identity, criteria, dataset }: Compilation,
  { agent, options = {} }: Pick<CompileInput, 'agent' | 'options'>,
): ContractHead {
  return {
    contractVersion: 1,
    suiteId: identity.suiteId,
    suiteVersion: identity.version,
    agent: { id: agent.id, name: agent.name, version: agent.version, sha256: agent.sha256 },
    ...(dataset && { dataset }),
    ...slaOf(agent, options),
    ...(agent.evaluation?.evaluator_model && { judge: { model: agent.evaluation.evaluator_model } }),
    criteria,
  };
}

function slaOf(agent: ProfiledAgent, { sla = 'gate' }: CompileOptions): Pick<EvalContract, 'sla'> {
  const expectedLatencyMs = agent.evaluation?.expected_latency_ms ?? null;
  return expectedLatencyMs === null ? {} : { sla: { expectedLatencyMs, policy: sla } };
}
