import type { Interval } from '@touchstone/protocol';

/** Two-sided 95 %. */
const Z = 1.959963984540054;

/** Wilson's score interval of a proportion: where it could lie, given `hits` out of `count`. */
export function wilsonInterval(hits: number, count: number): Interval {
  if (count === 0) return [0, 1];
  const share = hits / count;
  const centre = share + Z ** 2 / (2 * count);
  const reach = Z * Math.sqrt((share * (1 - share)) / count + Z ** 2 / (4 * count ** 2));
  const scale = 1 + Z ** 2 / count;
  // At the ends of the scale the formula gives the end itself, but for rounding.
  return [
    hits === 0 ? 0 : Math.max(0, (centre - reach) / scale),
    hits === count ? 1 : Math.min(1, (centre + reach) / scale),
  ];
}

/** From none of the open ones passing to all of them: what an unscored task would have done is not known. */
export const passRateInterval = (passed: number, open: number, count: number): Interval => [
  wilsonInterval(passed, count)[0],
  wilsonInterval(passed + open, count)[1],
];
