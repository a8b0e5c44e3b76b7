import type { Agent, AgentFacts, Clock, Random } from '@touchstone/contract/ports';
import { createCommandAgent } from './command.js';
import type { Guard } from './guard.js';
import { createHttpAgent } from './http.js';
import { createModuleAgent } from './module.js';
import type { PaceOf } from './pace.js';
import { DEFAULT_RETRIES, type RetryLimits } from './retry.js';
import { createScriptedAgent } from './scripted.js';
import type { AgentSpec } from './spec.js';

type AgentLimits = { readonly maxOutputBytes?: number; readonly retries?: RetryLimits };

export type AgentParts = {
  readonly facts: AgentFacts;
  /** Where relative paths of the spec begin. */
  readonly baseDir: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly paceOf: PaceOf;
  readonly limits?: AgentLimits;
  /** Required for a spec that came from a tenant. */
  readonly fetchGuard?: Guard;
};

const DEFAULT_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Makes an agent ready to be invoked. Whoever opens it closes it. */
export function openAgent(spec: AgentSpec, parts: AgentParts): Agent {
  const { run } = spec;
  const maxOutputBytes = parts.limits?.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
  switch (run.kind) {
    case 'scripted':
      return createScriptedAgent(run, parts);
    case 'module':
      return createModuleAgent(run, { ...parts, maxOutputBytes });
    case 'command':
      return createCommandAgent(run, { ...parts, maxOutputBytes });
    case 'http': {
      const guard = parts.fetchGuard;
      const retries = parts.limits?.retries ?? DEFAULT_RETRIES;
      return createHttpAgent(run, { ...parts, maxOutputBytes, retries, ...(guard && { guard }) });
    }
  }
}
