import type { Digest } from '@touchstone/protocol';
import type { AgentFacts } from '../../ports/index.js';
import type { AgentSpec } from './spec.js';

/** What may be told about an agent without running it. Nothing of `run` but its kind: no path, URL or header. */
export function agentFacts(spec: AgentSpec, digest: Digest): AgentFacts {
  const { handoff, confidence } = spec;
  return {
    agentId: spec.agentId,
    version: spec.version,
    digest,
    kind: spec.run.kind,
    persona: spec.persona ?? lastSegment(spec.agentId),
    ...(spec.label !== undefined && { label: spec.label }),
    ...(spec.description !== undefined && { description: spec.description }),
    ...(spec.modelClass !== undefined && { modelClass: spec.modelClass }),
    toolAllowlist: spec.toolAllowlist ?? [],
    ...(handoff?.taskSchema && { taskSchema: handoff.taskSchema }),
    ...(handoff?.returnSchema && { returnSchema: handoff.returnSchema }),
    ...(spec.memoryShape && { memoryShape: spec.memoryShape }),
    ...(spec.pack && { pack: spec.pack }),
    ...(confidence?.defaultThreshold !== undefined && { confidenceThreshold: confidence.defaultThreshold }),
  };
}

const PERSONA_MAX = 200;
const lastSegment = (agentId: string): string =>
  agentId.slice(agentId.lastIndexOf('.') + 1).slice(0, PERSONA_MAX);
