import { closed, list, published, text, timestamp, type Wire } from '../schema/build.js';

export const memoryEntry = closed(
  {
    id: text('The name of the entry.', { minLength: 1, maxLength: 1500 }),
    content: text('What is remembered; secrets are already taken out.'),
    tags: list(text(undefined, { maxLength: 256 }), 'Words to find it by.'),
    createdAt: timestamp('When it was written.'),
  },
  { expiresAt: timestamp('When it is forgotten.') },
  published('memory-entry', 'MemoryEntry', 'One thing an agent remembers.'),
);
/** An entry of an agent's memory, as a suite seeds it and as an agent reads it. */
export type MemoryEntryWire = Wire<typeof memoryEntry>;
