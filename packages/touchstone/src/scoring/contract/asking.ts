import type { Redact } from '@touchstone/protocol';
import type { Body } from '@touchstone/protocol/bodies';
import type { Embedder, Judge, Spend } from '../../ports/index.js';
import type { Applied } from './applied.js';
import type { Ruling } from './rulings.js';

/** Who can be asked about an answer, and what keeps the secrets of this host from them. */
export type Askable = {
  readonly judge?: Judge;
  /** Compares meanings; where there is none, the judge does. */
  readonly embedder?: Embedder;
  readonly redact?: Redact;
};

export type Asking = Askable & {
  readonly input: Body;
  readonly output: Body;
  readonly seed: string;
  readonly signal: AbortSignal;
  readonly spend: Spend;
};

export type Rulings = ReadonlyMap<Applied, Ruling>;
