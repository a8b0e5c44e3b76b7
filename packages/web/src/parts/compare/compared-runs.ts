import type { ReportQuestion } from '@touchstone/sdk';
import { type Address, navigate, withQuery } from '../../address.js';

/** So many runs fit beside each other. */
export const MOST_RUNS = 8;

/** The runs of the address, each once; the first one is the baseline. */
export const runsIn = (query: URLSearchParams): readonly string[] =>
  [...new Set((query.get('runs') ?? '').split(',').filter((runId) => runId !== ''))].slice(0, MOST_RUNS);

/** What the reader allows although it makes a difference less sure. */
export const allowedIn = (query: URLSearchParams): Pick<ReportQuestion, 'common' | 'allowJudgeMismatch'> => ({
  ...(query.get('common') === 'true' && { common: true }),
  ...(query.get('allowJudgeMismatch') === 'true' && { allowJudgeMismatch: true }),
});

/** The address with a run at another place. */
export function movedTo(address: Address, runs: readonly string[], runId: string, place: number): string {
  const others = runs.filter((one) => one !== runId);
  return withQuery(address, { runs: others.toSpliced(place, 0, runId).join(',') });
}

/** Puts a run where another one is. Anything else that was dragged is no run. */
export function moveRun(address: Address, runs: readonly string[], runId: string, to: string): void {
  if (runs.includes(runId) && runs.includes(to)) navigate(movedTo(address, runs, runId, runs.indexOf(to)));
}

export const without = (address: Address, runs: readonly string[], runId: string): string =>
  withQuery(address, { runs: runs.filter((one) => one !== runId).join(',') });

/** What a reader can do about runs that the host does not hold against each other. */
export function waysOut(
  address: Address,
  message: string,
): readonly { readonly href: string; readonly text: string }[] {
  const ways: { href: string; text: string }[] = [];
  if (/very same suite|other tasks of the suite/.test(message))
    ways.push({ href: withQuery(address, { common: 'true' }), text: 'Compare the tasks that both have' });
  if (/different judges/.test(message))
    ways.push({
      href: withQuery(address, { allowJudgeMismatch: 'true' }),
      text: 'Compare all the same, knowing that the judges differ',
    });
  return ways;
}
