import type { RunView } from './run-view.js';
import { duration, rounded, usd } from './units.js';

/** A run without a declared pass score is held to this one. */
const DEFAULT_PASS_SCORE = 0.8;

/** One bar of the suite, met or not, with how full it is. */
export type Bar = {
  /** Which threshold: mean score, total cost, or 95th percentile of response times. */
  readonly name: 'score' | 'cost' | 'p95';
  /** What the run reached, as text with its unit; `unknown` when a call has no known price. */
  readonly value: string;
  /** How the value stands to its limit. */
  readonly sign: '≥' | '<' | '≤' | '>';
  /** How the value has to stand to its limit. */
  readonly wanted: '≥' | '≤';
  /** The threshold, as text with its unit. */
  readonly limit: string;
  /** Whether the threshold is met. */
  readonly met: boolean;
  /** The part of the limit that the value takes, from 0 to 1. */
  readonly fill: number;
  /**
   * Set when it decides nothing: it is a bar for the whole suite, and only a part of it was run; or the run could not be
   * judged.
   */
  readonly idle?: true;
};

/** The bars a finished run was measured against, in the order of the suite's formula. */
export function barsOf(result: RunView): Bar[] {
  const { thresholds, summary } = result;
  if (!summary) return [];
  const whole = scoreBar(summary.aggregateScore, thresholds.passScore ?? DEFAULT_PASS_SCORE);
  const bars: Bar[] = [isIdle(result) ? { ...whole, idle: true } : whole];
  // The sum counts a task without a score as 0, which is not what the agent has reached.
  if (result.counts.unscored > 0) bars[0] = { ...whole, value: '–', sign: '≥', fill: 0, idle: true };
  if (thresholds.maxCostUsd !== undefined) bars.push(costBar(result, thresholds.maxCostUsd));
  if (thresholds.maxP95LatencyMs !== undefined) {
    bars.push(ceilingBar('p95', result.latency?.p95Ms ?? 0, thresholds.maxP95LatencyMs, duration));
  }
  return bars;
}

const isIdle = ({ contract }: RunView): boolean =>
  contract?.summary.otherBarsMet !== undefined || contract?.verdict === 'error';

function scoreBar(value: number, limit: number): Bar {
  const met = value >= limit;
  const sides = { ...sidesOf(value, limit, met), sign: met ? '≥' : '<' } as const;
  return { name: 'score', wanted: '≥', ...sides, met, fill: value };
}

const MOST_DIGITS = 4;
const digitsOf = (limit: number): number => (String(limit).split('.')[1] ?? '').length;

/** As many digits as the threshold has, and more where the score would else look as if it reached it. */
function sidesOf(value: number, limit: number, met: boolean): Pick<Bar, 'value' | 'limit'> {
  const least = Math.min(MOST_DIGITS, Math.max(2, digitsOf(limit)));
  for (let digits = least; digits <= MOST_DIGITS; digits += 1) {
    const [shown, wanted] = [rounded(value, digits), rounded(limit, digits)];
    if (met || shown < wanted) return { value: shown.toFixed(digits), limit: wanted.toFixed(digits) };
  }
  const floor = Math.floor(value * 10 ** MOST_DIGITS) / 10 ** MOST_DIGITS;
  return { value: floor.toFixed(MOST_DIGITS), limit: rounded(limit, MOST_DIGITS).toFixed(MOST_DIGITS) };
}

/** A call of unknown price may have cost anything, so a bar on cost is not met then. */
function costBar(result: RunView, limit: number): Bar {
  const bar = ceilingBar('cost', result.costUsd ?? 0, limit, usd);
  if (result.unpriced === 0) return bar;
  return { ...bar, value: 'unknown', sign: '≤', met: false };
}

function ceilingBar(
  name: 'cost' | 'p95',
  value: number,
  limit: number,
  show: (value: number) => string,
): Bar {
  const met = value <= limit;
  const fill = limit === 0 ? Number(value > 0) : Math.min(1, value / limit);
  return { name, value: show(value), sign: met ? '≤' : '>', wanted: '≤', limit: show(limit), met, fill };
}
