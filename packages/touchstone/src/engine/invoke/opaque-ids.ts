import { hash } from 'node:crypto';
import { asId, type Digest, type InvocationId, type RunId } from '@touchstone/protocol';

// What an agent is given must not say that it is evaluated: neither which task this is nor that there are others. So each
// invocation looks like a run of its own, and seeds look like kept notes. The same invocation always has the same ids,
// also when it is repeated after a crash. Each id is a digest that needs a key which no agent is given.

const opaque = (key: string, name: string): string => hash('sha256', `${key} ${name}`, 'hex');
const ID_LENGTH = 26;

type AgentIds = { readonly runId: RunId; readonly invocationId: InvocationId };

export function agentIds(runId: RunId, ordinal: number, repeat: number): AgentIds {
  const digits = opaque(runId, `${ordinal}.${repeat}`);
  return {
    runId: asId<RunId>(`run-${digits.slice(0, ID_LENGTH)}`),
    invocationId: asId<InvocationId>(`inv-${digits.slice(ID_LENGTH, 2 * ID_LENGTH)}`),
  };
}

/** The n-th note of an invocation. Notes of the same moment are read in the order of their ids. */
export const noteId = (runId: RunId, invocationId: InvocationId, n: number): string =>
  memoryId(opaque(runId, `notes of ${invocationId}`), n);

const memoryId = (digits: string, n: number): string =>
  `mem-${digits.slice(0, ID_LENGTH)}.${String(n).padStart(3, '0')}`;

type SeedFacts = { readonly id: string; readonly createdAt: string };

const SEEDED_FROM = Date.UTC(2025, 0, 1);
const SEEDED_FOR_MS = 365 * 24 * 3_600_000;

/**
 * Id and date of a seed that has none of its own. They depend on the suite and the place of the seed alone: a model reads
 * the date, and equal runs must read equal memory.
 */
export function seedFacts(suite: Digest, ordinal: number, index: number): SeedFacts {
  const ms = Number.parseInt(opaque(suite, `date ${ordinal}.${index}`).slice(0, 12), 16) % SEEDED_FOR_MS;
  return {
    id: memoryId(opaque(suite, `seeds of ${ordinal}`), index),
    createdAt: new Date(SEEDED_FROM + ms).toISOString(),
  };
}
