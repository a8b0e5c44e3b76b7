import { closed, list, published, text, timestamp, type Wire } from '../schema/build.js';

/** The protocol's schema of a memory entry. */
export const memoryEntry = closed(
  {
    /** The name of the entry. Unique in the agent's memory; at most 1500 characters. */
    id: text('The name of the entry.', { minLength: 1, maxLength: 1500 }),
    /**
     * What is remembered; secrets are already taken out. Text. Content: known secrets are masked before it is stored.
     */
    content: text('What is remembered; secrets are already taken out.'),
    /** Words to find it by. Each at most 256 characters; empty when the entry has none. */
    tags: list(text(undefined, { maxLength: 256 }), 'Words to find it by.'),
    /** When it was written. ISO 8601. */
    createdAt: timestamp('When it was written.'),
  },
  {
    /** When it is forgotten. ISO 8601; the entry never expires when absent. */
    expiresAt: timestamp('When it is forgotten.'),
  },
  published('memory-entry', 'MemoryEntry', 'One thing an agent remembers.'),
);
/** An entry of an agent's memory, as a suite seeds it and as an agent reads it. */
export type MemoryEntryWire = Wire<typeof memoryEntry>;
