import type { EvalReport } from '@touchstone/protocol';
import { type JudgeFacts, type RunView, refOf } from '@touchstone/sdk/view';

/** What a report says of the promotion that followed a run: one sentence, free of content. */
export type ReportedPromotion = {
  readonly status: 'moved' | 'denied' | 'waiting' | 'impossible';
  /** The code of what was in the way. */
  readonly code?: string;
  readonly words: string;
};

/** A run to report about, and what the caller did besides. */
export type ExportedRun = RunView & {
  /** Absent when no promotion was tried. */
  readonly promotion?: ReportedPromotion;
};

/** A suite of a folder that was not run, and why. */
export type RefusedSuite = {
  readonly suite: { readonly ref: string };
  readonly error: { readonly code: string; readonly message: string };
};

/** What only the caller knows of a run. */
type RunExtras = {
  readonly exitCode: number;
  /** The suite file that was written of it. */
  readonly recorded?: string;
  readonly promotion?: object;
};

/** One run as a JSON document: content-free, and the same whether the run was local or on another host. */
export const runDocument = (result: RunView, { exitCode, recorded, promotion }: RunExtras): object => ({
  runId: result.runId,
  status: result.status,
  exitCode,
  summary: result.summary,
  agent: { agentId: result.agent.agentId, version: result.agent.version, digest: result.agent.digest },
  suite: { ref: refOf(result.suite), digest: result.suite.digest },
  unscored: result.unscored,
  ...(result.model && { model: modelDocument(result.model) }),
  ...(result.judge && { judge: judgeDocument(result.judge) }),
  ...(result.safetyJudge && { safetyJudge: judgeDocument(result.safetyJudge) }),
  ...(result.judgeUsd !== undefined && { judgeUsd: result.judgeUsd }),
  ...(result.rejudgeOf && { rejudgeOf: result.rejudgeOf }),
  ...(result.fork && { fork: result.fork }),
  ...(result.findings && { findings: result.findings }),
  ...(result.rubrics && { rubrics: result.rubrics }),
  ...(result.cacheHits && { cacheHits: result.cacheHits }),
  ...(result.nondeterministic && { nondeterministic: true }),
  ...(recorded !== undefined && { recorded }),
  ...(result.error && { error: result.error }),
  ...(result.report && { report: reportDocument(result.report) }),
  ...(result.contract && { contract: result.contract }),
  ...(result.uncompared !== undefined && { comparison: { made: false, reason: result.uncompared } }),
  ...(promotion && { promotion }),
});

/** The thresholds are those of the suite, which the document names. */
const reportDocument = ({ thresholds: _, ...report }: EvalReport): object => report;

export const judgeDocument = (judge: JudgeFacts): object => ({
  ...modelDocument(judge),
  votes: judge.votes,
  digest: judge.digest,
});

const modelDocument = ({ provider, model, mock }: NonNullable<RunView['model']>): object => ({
  provider,
  model,
  ...(mock && { mock }),
});
