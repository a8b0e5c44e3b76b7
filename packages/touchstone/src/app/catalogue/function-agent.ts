import { randomUUID } from 'node:crypto';
import { type AgentId, asId, type ToolId, type Version } from '@touchstone/protocol';
import type { AgentSpec, ModuleAgent } from '../../agents/index.js';
import type { AgentFacts } from '../../ports/index.js';
import type { AgentParts } from '../parts/agents.js';

/** How a function is known as an agent. */
export type FunctionSpec = {
  readonly agentId: string;
  /** The tools that it may use. */
  readonly toolAllowlist: readonly string[];
};

/**
 * Registers functions of this program as agents. What a function does cannot be read from anywhere, so each gets a name
 * of its own: no two have the same digest, and none has the digest of an agent that can be deployed.
 */
export const functionRegistry =
  ({ functions, registry }: Pick<AgentParts, 'functions' | 'registry'>) =>
  async (answer: ModuleAgent, { agentId, toolAllowlist }: FunctionSpec): Promise<AgentFacts> => {
    const name = randomUUID();
    functions.set(name, answer);
    const spec: AgentSpec = {
      agentId: asId<AgentId>(agentId),
      version: asId<Version>('0.0.0'),
      toolAllowlist: toolAllowlist.map((toolId) => asId<ToolId>(toolId)),
      run: { kind: 'function', name },
    };
    return registry.add(spec, '.');
  };
