import type { Json } from '../values/json.js';

declare const bodyMark: unique symbol;

/**
 * Content: an input, an output, an expected value, a prompt, a reason in words. Opaque on purpose: a value of this type
 * cannot be compared, printed or put into a message by accident, and no type of the package index mentions it.
 */
export type Body = { readonly [bodyMark]: 'body' };

/** Marks JSON as content, where it enters: a suite that is read, an answer that an agent gave. */
export const toBody = (value: Json): Body => value as unknown as Body;

/** Looks into content. Only scorers, matchers, agents and the readers of one task have a reason to. */
export const fromBody = (body: Body): Json => body as unknown as Json;
