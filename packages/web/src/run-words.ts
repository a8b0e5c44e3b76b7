import { type RunVerdict, sideOf } from '@touchstone/protocol';
import type { RunSnapshot } from '@touchstone/sdk';
import { REGRESSION } from '@touchstone/sdk/view';

/** The sides that a run can come down on. */
export type Verdict = RunVerdict;

/** The word for a run, as the command line has it. Undefined while there is none. */
export function verdictOfRun({ status, touchstone }: RunSnapshot, isWorse = false): Verdict | undefined {
  const headline = touchstone?.headline;
  if (status !== 'completed' || !headline) return undefined;
  return sideOf(headline, isWorse || headline.regression?.verdict === 'fail');
}

/** Whether anything was scored. The score of a run without a single one is 0 on the wire, and says nothing about its agent. */
export const hasScore = (tasks: { readonly all: number; readonly unscored?: number | undefined }): boolean =>
  tasks.all > (tasks.unscored ?? 0);

const WORDS: { readonly [verdict in Verdict]: string } = {
  pass: 'Pass',
  fail: 'Fail',
  inconclusive: 'Not judged',
  regression: REGRESSION.charAt(0) + REGRESSION.slice(1).toLowerCase(),
};

/** For a run without a verdict: where it stands. What it waits for is told where it is answered. */
export const wordOf = (verdict: Verdict | undefined, status: string): string =>
  verdict ? WORDS[verdict] : status.charAt(0).toUpperCase() + status.slice(1).replace(/-.*/, '');

export const GLYPHS: { readonly [verdict in Verdict]: string } = {
  pass: '✓',
  fail: '▣',
  inconclusive: '≈',
  regression: '▣',
};
