import { createCipheriv, hash } from 'node:crypto';
import { asId, type Digest, type InvocationId, type RunId } from '@touchstone/protocol';

// What an agent is given must not say that it is evaluated: neither which task this is nor that there are others. So each
// invocation looks like a run of its own, and seeds look like kept notes. The same invocation always has the same ids,
// also when it is repeated after a crash. Nobody can compute an id without a key which no agent is given.

const opaque = (key: string, name: string): string => hash('sha256', `${key} ${name}`, 'hex');
const ID_LENGTH = 26;

/** What an agent is given in place of the ids of the log. */
export type AgentIds = { readonly runId: RunId; readonly invocationId: InvocationId };

/** So many invocations get the digits of their ids from one encryption: one digest for each took a twentieth of a long run. */
const AT_ONCE = 64;
const DIGITS = 64;
const ZEROS = Buffer.alloc((AT_ONCE * DIGITS) / 2);

/** The ids for one run. Tasks begin in order, so the digits that were made last serve most of them. */
export function openAgentIds(runId: RunId): (ordinal: number, repeat: number) => AgentIds {
  const key = hash('sha256', `${runId} ids`, 'buffer');
  const made: { readonly block: number; readonly digits: string }[] = [];
  return (ordinal, repeat) => {
    const block = Math.floor(ordinal / AT_ONCE);
    let last = made[repeat];
    if (last?.block !== block) {
      last = { block, digits: digitsOf(key, block, repeat) };
      made[repeat] = last;
    }
    const at = (ordinal % AT_ONCE) * DIGITS;
    const between = at + ID_LENGTH;
    return {
      runId: asId<RunId>(`run-${last.digits.slice(at, between)}`),
      invocationId: asId<InvocationId>(`inv-${last.digits.slice(between, between + ID_LENGTH)}`),
    };
  };
}

function digitsOf(key: Buffer, block: number, repeat: number): string {
  const start = Buffer.alloc(16);
  start.writeUInt32BE(repeat, 0);
  start.writeUInt32BE(block, 4);
  return createCipheriv('aes-256-ctr', key, start).update(ZEROS).toString('hex');
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
