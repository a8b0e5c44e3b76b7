import {
  type AgentId,
  type Digest,
  type InvocationId,
  isObject,
  type Json,
  type Owner,
  type RunId,
  redactDeep,
} from '@touchstone/protocol';
import {
  type Body,
  fromBody,
  type MemoryEntry,
  type MemorySeed,
  type ToolResult,
  toBody,
} from '@touchstone/protocol/bodies';
import type { Recorder } from '../log/recorder.js';
import type { Parts } from '../parts.js';
import { noteId, seedFacts } from './opaque-ids.js';

/**
 * The memory an invocation reads: the task's seeds, completed, with known secrets replaced and expired entries left
 * out. It is built for one invocation and dropped with it.
 */
export function overlayMemory(
  { clock, redact }: Parts,
  suite: Digest,
  ordinal: number,
  seeds: readonly MemorySeed[],
): readonly MemoryEntry[] {
  const now = clock.now();
  return seeds
    .map((seed, index) => {
      const { id, createdAt } = seedFacts(suite, ordinal, index);
      return {
        id: seed.id ?? id,
        content: redact ? redact(seed.content) : seed.content,
        tags: seed.tags ?? [],
        createdAt: seed.createdAt ?? createdAt,
        ...(seed.expiresAt !== undefined && { expiresAt: seed.expiresAt }),
      };
    })
    .filter((entry) => entry.expiresAt === undefined || Date.parse(entry.expiresAt) > now);
}

/** Whose memory is written to, and by which invocation. */
export type MemoryTarget = {
  readonly owner: Owner;
  readonly agentId: AgentId;
  readonly runId: RunId;
  readonly invocationId: InvocationId;
  /** Whether what is written outlives the invocation. */
  readonly keeps: boolean;
};

const MAX_CONTENT = 64 * 1024;
const MAX_TAGS = 64;
const REFUSED =
  'Expected an object with "content" (a string of 1 to 65536 characters) and optionally "tags" and "ttlSeconds".';

/**
 * Answers the memory tool. An entry's id follows from the invocation and its number in it, so that an invocation
 * repeated after a crash writes the same entries again and not further ones.
 */
export function createMemoryWriter(parts: Parts, target: MemoryTarget, recorder: Recorder) {
  let written = 0;
  return async (inputs: Body): Promise<ToolResult> => {
    const note = readNote(fromBody(inputs));
    if (!note) return { status: 'error', error: REFUSED };
    const id = noteId(target.runId, target.invocationId, written++);
    if (target.keeps) await keep(parts, target, id, note, recorder);
    return { status: 'ok', outcome: toBody({ memoryId: id }) };
  };
}

type Note = { readonly content: string; readonly tags: readonly string[]; readonly ttlSeconds?: number };

function readNote(value: Json): Note | undefined {
  if (!isObject(value)) return undefined;
  const { content, tags = [], ttlSeconds } = value;
  if (typeof content !== 'string' || content.length === 0 || content.length > MAX_CONTENT) return undefined;
  if (!Array.isArray(tags) || tags.length > MAX_TAGS || !tags.every((tag) => typeof tag === 'string'))
    return undefined;
  if (ttlSeconds === undefined) return { content, tags };
  return Number.isSafeInteger(ttlSeconds) && (ttlSeconds as number) > 0
    ? { content, tags, ttlSeconds: ttlSeconds as number }
    : undefined;
}

/** The last moment a date can name; an entry that lives longer than that does not expire. */
const END_OF_TIME = 8.64e15;

async function keep(
  parts: Parts,
  target: MemoryTarget,
  id: string,
  note: Note,
  recorder: Recorder,
): Promise<void> {
  const { owner, agentId } = target;
  const now = parts.clock.now();
  const { content, tags } = redactDeep({ content: note.content, tags: note.tags }, parts.redact);
  const endsAt = note.ttlSeconds === undefined ? END_OF_TIME : now + note.ttlSeconds * 1000;
  const entry: MemoryEntry = {
    id,
    content,
    tags,
    createdAt: new Date(now).toISOString(),
    ...(endsAt < END_OF_TIME && { expiresAt: new Date(endsAt).toISOString() }),
  };
  await parts.store.memory.put(owner, agentId, entry, now);
  recorder.add('memory.written', { memoryRef: `long-term:${agentId}`, memoryId: id, agentId, tags });
}
