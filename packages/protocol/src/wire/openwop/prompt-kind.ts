import { choice, published, type Wire } from '../schema/build.js';

/** The protocol's parts of a prompt: `system`, `user`, `few-shot` examples, `schema-hint`. */
export const promptKind = choice(
  ['system', 'user', 'few-shot', 'schema-hint'],
  undefined,
  published('prompt-kind', 'PromptKind', 'Which part of a prompt a text is.'),
);
/** What a prompt is for. */
export type PromptKindWire = Wire<typeof promptKind>;
