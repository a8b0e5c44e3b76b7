import { integer } from '@touchstone/protocol/schema';

/** The most answers of an agent in one conversation. */
export const MOST_TURNS = 64;
export const DEFAULT_TURNS = 10;
export const turnCount = integer(undefined, { minimum: 1, maximum: MOST_TURNS });
