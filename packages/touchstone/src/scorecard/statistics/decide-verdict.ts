import type { Interval, ReportVerdict } from '@touchstone/protocol';

/** A threshold inside the interval has been neither reached nor missed: another draw of tasks could have gone the other way. */
export function decideVerdict([low, high]: Interval, threshold: number): ReportVerdict {
  if (low >= threshold) return 'pass';
  return high < threshold ? 'fail' : 'inconclusive';
}
