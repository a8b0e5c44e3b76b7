import type { Digest, Owner } from '@touchstone/protocol';
import type { Body } from '@touchstone/protocol/bodies';

/** Answers of models remembered for repeated development runs, by the digest of the whole question. */
export type Responses = {
  get(owner: Owner, question: Digest): Promise<Body | undefined>;
  put(owner: Owner, question: Digest, answer: Body, at: number): Promise<void>;
};
