import { type Digest, defined } from '@touchstone/protocol';
import type { AgentFacts } from '../../ports/index.js';
import { requestNames } from './mapping.js';
import { promptNames } from './prompt.js';
import type { RunSpec } from './run-spec.js';
import type { AgentSpec } from './spec.js';
import { DEFAULT_TURNS } from './turn-count.js';

/** What may be published about an agent without running it. Nothing of `run` but its kind: no path, URL or header. */
export function agentFacts(spec: AgentSpec, digest: Digest, baseDir = '.'): AgentFacts {
  const { agentId, version, label, description, modelClass, toolAllowlist = [], memoryShape, pack } = spec;
  return defined({
    agentId,
    version,
    digest,
    kind: spec.run.kind,
    persona: spec.persona ?? lastSegment(agentId),
    label,
    description,
    modelClass,
    toolAllowlist,
    taskSchema: spec.handoff?.taskSchema,
    returnSchema: spec.handoff?.returnSchema,
    memoryShape,
    pack,
    templateNames: spec.run.kind === 'openai' ? promptNames(spec.run, baseDir) : requestNames(spec.run),
    conversation: conversationOf(spec.run),
    confidenceThreshold: spec.confidence?.defaultThreshold,
  });
}

const conversationOf = (run: RunSpec): AgentFacts['conversation'] =>
  run.kind === 'conversation'
    ? { maxTurns: run.maxTurns ?? DEFAULT_TURNS, hasUser: run.user !== undefined }
    : undefined;

const PERSONA_MAX = 200;
const lastSegment = (agentId: string): string =>
  agentId.slice(agentId.lastIndexOf('.') + 1).slice(0, PERSONA_MAX);
