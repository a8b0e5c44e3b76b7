import { defined } from '@touchstone/protocol';
import { type AgentFiles, digestOf, readAgentFiles, wrappedDigest } from '../../agents/index.js';
import type { AgentFacts } from '../../ports/index.js';
import type { AgentReference } from '../../suites/index.js';
import { parseAgentReference } from '../../suites/index.js';
import type { AgentEntry } from './entries.js';

/** Recorded answers are to tasks, and a conversation with a conversation would have two users. */
const NOT_TALKED_TO: readonly AgentFacts['kind'][] = ['conversation', 'recorded'];

type FindEntry = (reference: AgentReference) => Promise<AgentEntry | undefined>;

/** The entry of a conversation, together with the agent that it is with; any other entry as it is. */
export async function withInner(entry: AgentEntry, find: FindEntry): Promise<AgentEntry> {
  const { run } = entry.spec;
  if (run.kind !== 'conversation') return entry;
  const reference = parseAgentReference(run.agent);
  // An agent that is looked up by its own name would be looked up for ever.
  const inner = reference.agentId === entry.spec.agentId ? undefined : await find(reference);
  if (inner && !NOT_TALKED_TO.includes(inner.facts.kind)) return composed(entry, inner);
  const { agentId, version } = entry.facts;
  const why = inner
    ? `is of kind ${inner.facts.kind}, and no conversation is possible with that`
    : 'is not known here';
  return {
    ...entry,
    facts: { ...entry.facts, degraded: ['conversation.agent'] },
    unusable: `Agent ${agentId}@${version} is a conversation with ${run.agent}, which ${why}.`,
  };
}

/** What the inner agent may use, the conversation may use; everything else is the conversation's own. */
function composed(entry: AgentEntry, inner: AgentEntry): AgentEntry {
  const { toolAllowlist, memoryShape, modelClass, templateNames, confidenceThreshold } = inner.facts;
  const { filesNotFollowed } = inner.facts;
  const unset = [...(entry.unset ?? []), ...(inner.unset ?? [])];
  return {
    ...entry,
    facts: {
      ...defined({ memoryShape, modelClass, templateNames, confidenceThreshold, filesNotFollowed }),
      ...entry.facts,
      toolAllowlist,
      digest: wrappedDigest(entry.facts.digest, inner.facts.digest),
      wraps: inner.facts,
    },
    inner,
    ...(unset.length > 0 && { unset }),
  };
}

/** The files of an agent, those of the agent that it talks to included. */
export async function entryFiles({ spec, baseDir, written, inner }: AgentEntry): Promise<AgentFiles> {
  if (!inner) return readAgentFiles(spec, baseDir, written);
  const files = await readAgentFiles(inner.spec, inner.baseDir, inner.written);
  const own = digestOf(written ?? spec, baseDir, { files: [], stamps: new Map() });
  return { ...files, digest: wrappedDigest(own, files.digest) };
}
