import type { Json } from '../values/json.js';

declare const bodyMark: unique symbol;

/** Content: an input, an output, an expected value, a prompt, a reason in words. Opaque on purpose. */
export type Body = { readonly [bodyMark]: 'body' };

export const toBody = (value: Json): Body => value as unknown as Body;
export const fromBody = (body: Body): Json => body as unknown as Json;
