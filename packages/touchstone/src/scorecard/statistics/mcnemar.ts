import { fairTail } from './binomial.js';

/**
 * The exact two-sided test of McNemar: when tasks change sides by chance alone, as many go one way as the other. It looks
 * at pass and fail only; how far a score moved is the business of the sign-flip test.
 */
export function mcnemarP(toFail: number, toPass: number): number {
  return Math.min(1, 2 * fairTail(toFail + toPass, Math.max(toFail, toPass)));
}
