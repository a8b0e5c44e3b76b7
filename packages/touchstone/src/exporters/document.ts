import { defined, type EvalReport, type RunId } from '@touchstone/protocol';
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

/** Stands where the list of tasks belongs in a summary that was read without it: whoever writes the document reads them. */
export class UnreadTasks {
  constructor(readonly runId: RunId) {}
}

/** One run as a JSON document: content-free, and the same whether the run was local or on another host. */
export const runDocument = (result: RunView, { exitCode, recorded, promotion }: RunExtras): object => ({
  runId: result.runId,
  status: result.status,
  exitCode,
  summary: result.summary && {
    ...result.summary,
    tasks: result.summary.tasks ?? new UnreadTasks(result.runId),
  },
  agent: { agentId: result.agent.agentId, version: result.agent.version, digest: result.agent.digest },
  suite: { ref: refOf(result.suite), digest: result.suite.digest },
  unscored: result.unscored,
  ...defined({
    model: result.model && modelDocument(result.model),
    judge: result.judge && judgeDocument(result.judge),
    safetyJudge: result.safetyJudge && judgeDocument(result.safetyJudge),
    judgeUsd: result.judgeUsd,
    simulatedUser: result.simulatedUser && {
      ...modelDocument(result.simulatedUser),
      digest: result.simulatedUser.digest,
    },
    simulatedUserUsd: result.simulatedUserUsd,
    rejudgeOf: result.rejudgeOf,
    fork: result.fork,
    findings: result.findings,
    rubrics: result.rubrics,
    failOn: result.failOn,
    confirmation: result.confirmation,
    cacheHits: result.cacheHits || undefined,
    nondeterministic: result.nondeterministic,
    caveats: result.caveats,
    recorded,
    error: result.error,
    report: result.report && reportDocument(result.report),
    contract: result.contract,
    comparison: result.uncompared === undefined ? undefined : { made: false, reason: result.uncompared },
    promotion,
  }),
});

/** The thresholds are those of the suite, which the document names. */
const reportDocument = ({ thresholds: _, ...report }: EvalReport): object => report;

export const judgeDocument = (judge: JudgeFacts): object => ({
  ...modelDocument(judge),
  votes: judge.votes,
  digest: judge.digest,
  ...(judge.portable !== undefined && { portable: judge.portable }),
});

const modelDocument = ({ provider, model, mock }: NonNullable<RunView['model']>): object => ({
  provider,
  model,
  ...(mock && { mock }),
});
