import type {
  AgentPin,
  ContractReport,
  EvalReport,
  EvalSummary,
  Finding,
  Fork,
  Json,
  JudgeIdentity,
  ModelPin,
  RunError,
  RunId,
  RunStatus,
  SuitePin,
  TaskResult,
  Thresholds,
  UnscoredReason,
} from '@touchstone/protocol';
import { decideExit, type ExitCode } from '../../exit.js';
import type { Promotion } from '../deployments/deploy-steps.js';

/** One criterion of one invocation: its sentence, what became of it and why. */
export type CriterionBody = {
  readonly text: string;
  readonly weight: number;
  /** Absent when nobody has decided it. */
  readonly met?: boolean;
  /** The share of votes that said so. */
  readonly agreement?: number;
  readonly reason?: string;
};

/** Why a task failed, in its own words. Shown on a terminal or with `--bodies`, and nowhere else. */
export type FailureBodies = {
  readonly expected:
    | { readonly kind: 'golden'; readonly strategy: string; readonly value: Json }
    | { readonly kind: 'rubric'; readonly criteria: readonly CriterionBody[] };
  /** Absent when the agent gave no answer. */
  readonly got?: { readonly value: Json };
  readonly outcome: string;
  readonly reason?: string;
};

export type Failure = {
  readonly taskId: string;
  readonly score: number;
  readonly latencyMs?: number;
  readonly schemaValid?: boolean;
  readonly findings?: readonly Finding[];
  readonly unscored?: UnscoredReason;
  readonly outcome?: 'failed' | 'refused';
  readonly criteria?: NonNullable<TaskResult['criteria']>;
  readonly bodies?: FailureBodies;
};

/** How often something unsafe was found, and in which tasks, passed ones included. */
export type FindingCount = Finding & { readonly taskIds: readonly string[] };

export type JudgeFacts = Pick<JudgeIdentity, 'provider' | 'model' | 'votes' | 'digest' | 'mock'>;

/** A suite of a folder that was not run, and why. */
export type RefusedSuite = {
  readonly suite: { readonly ref: string };
  readonly exitCode: ExitCode;
  readonly error: { readonly code: string; readonly message: string };
};

/** One run as the command line tells it: a fold over what the run's log holds, from a local store or another host. */
export type RunView = {
  readonly runId: RunId;
  readonly status: RunStatus;
  readonly interrupted: boolean;
  /** The run lives on another host. */
  readonly remote?: true;
  readonly suite: SuitePin;
  readonly agent: AgentPin;
  readonly summary: EvalSummary | null;
  readonly error?: RunError;
  readonly thresholds: Thresholds;
  readonly counts: {
    readonly total: number;
    readonly selected: number;
    readonly passed: number;
    readonly failed: number;
    readonly unscored: number;
  };
  readonly unscored: readonly string[];
  readonly failures: readonly Failure[];
  readonly latency?: { readonly p50Ms: number; readonly p95Ms: number };
  readonly costUsd?: number;
  /** Model calls whose price nobody knows. */
  readonly unpriced: number;
  readonly repeats: number;
  readonly wallMs: number;
  /** The model this host asked for the agent; absent for agents that bring their own. */
  readonly model?: Pick<ModelPin, 'provider' | 'model' | 'mock'>;
  /** Who judged rubric tasks; absent when none needed a judge. */
  readonly judge?: JudgeFacts;
  /** Who looked at every answer of an adversarial run. */
  readonly safetyJudge?: JudgeFacts;
  /** The part of the cost that judges took, when it is known. */
  readonly judgeUsd?: number;
  /** The run whose answers were judged again. */
  readonly rejudgeOf?: RunId;
  /** It begins with the history of another run. */
  readonly fork?: Fork;
  readonly findings?: readonly FindingCount[];
  /** What became of every criterion, task by task; absent when there was none. */
  readonly rubrics?: readonly {
    readonly taskId: string;
    readonly criteria: NonNullable<TaskResult['criteria']>;
  }[];
  /** Model calls answered from the response cache, when there were any. */
  readonly cacheHits?: number;
  /** Tools and memory were live, so the same run may come out differently. */
  readonly nondeterministic?: true;
  /** The suite file that `--record` has written. */
  readonly recorded?: string;
  /** Of a completed run; another kind of host may have none. */
  readonly report?: EvalReport;
  /** Whether the contract was kept that the suite was compiled with; absent when there is none. */
  readonly contract?: ContractReport;
  /** Why it was compared with nothing although a baseline was asked for. */
  readonly uncompared?: string;
  /** How long before this was told the baseline had ended. */
  readonly baselineAgeMs?: number;
  /** A result that chance alone could explain is not good enough. */
  readonly conclusive?: true;
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

/** Nearest rank, as the scorecard's own bar is measured. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/** The same result for places where content does not belong. */
export const withoutBodies = (result: RunView): RunView => ({
  ...result,
  failures: result.failures.map(({ bodies: _, ...facts }) => facts),
});
