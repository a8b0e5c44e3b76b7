import type { RunSnapshot } from '@touchstone/sdk';

/** What a run was started from, kept with the run so that `--resume` alone finds it all again. */
export const ORIGIN_KEY = 'touchstone.cli';
export type Origin = {
  readonly suite?: string;
  readonly pack?: string;
  /** The definition file, and which of its agents. */
  readonly definition?: string;
  readonly of?: string;
  readonly agent?: string;
  /** The file whose prompt stood in for the agent's own. */
  readonly prompt?: string;
  readonly baseline?: string;
  /** The run whose newly failing tasks this one repeats. */
  readonly confirms?: string;
  /** Which round of an evaluation in rounds it is, from 1. */
  readonly round?: number;
};

export const originOf = ({ metadata }: Pick<RunSnapshot, 'metadata'>): Origin =>
  (metadata?.[ORIGIN_KEY] ?? {}) as Origin;

/** Whether a run repeats tasks of another one, or is one round of several: it is no evaluation of its own. */
export function isPart(run: Pick<RunSnapshot, 'metadata'>): boolean {
  const { confirms, round } = originOf(run);
  return confirms !== undefined || round !== undefined;
}

/** Why a run that asked for a baseline has none, as far as the run itself remembers. A copy of a run asked for nothing. */
export function uncomparedOf(run: RunSnapshot): string | undefined {
  const { baselineRunId, fork, rejudgeOf } = run.touchstone ?? {};
  const isOwn = fork === undefined && rejudgeOf === undefined;
  return isOwn && baselineRunId === undefined && originOf(run).baseline !== undefined
    ? 'There was nothing to compare with when it began.'
    : undefined;
}
