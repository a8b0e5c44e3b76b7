import type { AgentPin, EvalReport, SuitePin } from '@touchstone/protocol';
import type { RunView as SdkRunView } from '@touchstone/sdk';

export type { CriterionBody, Failure, FailureBodies, FindingCount, JudgeFacts } from '@touchstone/sdk';

import { decideExit, type ExitCode } from '../../exit.js';
import type { Promotion } from '../deployments/promotion.js';

/** A suite of a folder that was not run, and why. */
export type RefusedSuite = {
  readonly suite: { readonly ref: string };
  readonly exitCode: ExitCode;
  readonly error: { readonly code: string; readonly message: string };
};

/** A run as a command tells of it: what its host knows, and what the command did besides. */
export type RunView = SdkRunView & {
  /** The suite file that `--record` has written. */
  readonly recorded?: string;
  /** What came of promoting the agent on the evidence of this run; absent when that was not tried. */
  readonly promotion?: Promotion | FailedPromotion;
};

/** It could not even be asked for. */
type FailedPromotion = {
  readonly exitCode: ExitCode;
  readonly error: { readonly code: string; readonly message: string };
};

/** Of the command: an agent is promoted only on a run that passed, and then its promotion decides. */
export const exitOfAll = (result: RunView): ExitCode => result.promotion?.exitCode ?? exitOf(result);

export const exitOf = (result: RunView): ExitCode =>
  decideExit({
    interrupted: result.interrupted,
    status: result.status,
    ...(result.error && { errorCode: result.error.code }),
    unscored: result.counts.unscored,
    ...(result.summary && { passed: areBarsMet(result) }),
    ...(result.contract && { contract: result.contract.verdict }),
    inconclusive: result.conclusive === true && !isConclusive(result),
    regressed: result.report?.regression?.verdict === 'fail',
  });

/** Those that apply: the pass score of a suite under a contract is a bar for the whole of it. */
export const areBarsMet = ({ summary, contract }: RunView): boolean =>
  contract?.summary.otherBarsMet ?? summary?.passed === true;

/** Without a report nothing is known of chance, and without a comparison nothing of a regression. */
const isConclusive = ({ report, uncompared }: RunView): boolean =>
  uncompared === undefined &&
  report !== undefined &&
  report.verdict !== 'inconclusive' &&
  report.regression?.verdict !== 'inconclusive';

/** The report of a run, and how old what it is held against was when it was read. */
export const reported = (
  report: EvalReport | undefined,
  now: number,
): Pick<RunView, 'report' | 'baselineAgeMs'> => ({
  ...(report && { report }),
  ...(report?.regression && {
    baselineAgeMs: Math.max(0, now - Date.parse(report.regression.baseline.endedAt)),
  }),
});

export const refOf = (thing: SuitePin | AgentPin): string =>
  `${'suiteId' in thing ? thing.suiteId : thing.agentId}@${thing.version}`;

/** The same result for places where content does not belong. */
export const withoutBodies = (result: RunView): RunView => ({
  ...result,
  failures: result.failures.map(({ bodies: _, ...facts }) => facts),
});
