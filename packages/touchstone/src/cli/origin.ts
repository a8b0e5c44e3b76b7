import type { RunSnapshot } from '@touchstone/sdk';
import type { EvalRun } from './find-run.js';

/** What a run was started from, kept with the run so that `--resume` alone finds it all again. */
export const ORIGIN_KEY = 'touchstone.cli';
export type Origin = {
  readonly suite?: string;
  readonly pack?: string;
  /** The definition file, and which of its agents. */
  readonly definition?: string;
  readonly of?: string;
  readonly agent?: string;
  readonly baseline?: string;
};

export const originOf = ({ request }: EvalRun): Origin => (request.metadata?.[ORIGIN_KEY] ?? {}) as Origin;

/** Why a run that asked for a baseline has none, as far as the run itself remembers. A copy of a run asked for nothing. */
export function uncomparedOf(run: EvalRun): string | undefined {
  const { baselineRunId, fork, rejudgeOf } = run.plan;
  const isOwn = fork === undefined && rejudgeOf === undefined;
  return isOwn && baselineRunId === undefined && originOf(run).baseline !== undefined
    ? 'There was nothing to compare with when it began.'
    : undefined;
}

/** The same of a snapshot. */
export function uncomparedIn({ metadata, touchstone }: RunSnapshot): string | undefined {
  const { baselineRunId, fork, rejudgeOf } = touchstone ?? {};
  const { baseline } = (metadata?.[ORIGIN_KEY] ?? {}) as Origin;
  return baseline !== undefined && [baselineRunId, fork, rejudgeOf].every((one) => one === undefined)
    ? 'There was nothing to compare with when it began.'
    : undefined;
}
