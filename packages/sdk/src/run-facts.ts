import type {
  AgentPin,
  Caveat,
  DeploymentState,
  Digest,
  EmbedderPin,
  EvalMode,
  Fork,
  HeadlineFigures,
  JudgeIdentity,
  ModelPin,
  RunId,
  RunTotals,
  RunVerdict,
  ScorerPin,
  SimulatedUser,
  Thresholds,
  TransitionRequest,
} from '@touchstone/protocol';

/** What a Touchstone host tells of a run beyond the protocol: the `touchstone` member of its snapshot. */
export type RunFacts = {
  /** A suite, one agent, a workflow, or a move of a deployment. */
  readonly kind: 'eval' | 'agent' | 'workflow' | 'deployment';
  /** `ref` is `suiteId@version`. */
  readonly suite?: { readonly ref: string; readonly digest: Digest };
  /** The agent that ran, and the channel that led to its version. */
  readonly agent?: Pick<AgentPin, 'agentId' | 'version' | 'digest'> & { readonly channel?: string };
  /** The agent's digest may not cover all files of its program. */
  readonly filesNotFollowed?: true;
  /** The model that the host asks for the agent; absent for agents that bring their own. */
  readonly model?: ModelPin;
  /** Recorded answers may stand in for the model. */
  readonly cache?: true;
  /** How an eval run is done. */
  readonly modes?: readonly EvalMode[];
  /** Tools and memory are live, so the same run may come out differently. */
  readonly nondeterministic?: true;
  /** How often each task runs. */
  readonly repeats?: number;
  /** How many tasks are at work at the same time. */
  readonly concurrency?: number;
  /** `selection` is equal for runs of the same part of a suite, and absent when the whole suite ran. */
  readonly tasks?: { readonly total: number; readonly selected: number; readonly selection?: string };
  /** The judge of rubric tasks. */
  readonly judge?: JudgeIdentity;
  /** The judge that looks at every answer of an adversarial run. */
  readonly safetyJudge?: JudgeIdentity;
  /** Digest of the safety policy, when it is not the default one. */
  readonly safetyPolicy?: Digest;
  /** Digest of the contract that the suite was compiled with. */
  readonly contract?: Digest;
  /** The model that compares meanings for the contract. */
  readonly embedder?: EmbedderPin;
  /** Who plays the user of conversations. */
  readonly simulatedUser?: SimulatedUser;
  /** Programs of the operator that decide criteria. */
  readonly scorers?: readonly ScorerPin[];
  /** What keeps the scores from being evidence. */
  readonly caveats?: readonly Caveat[];
  /** The run whose recorded answers were judged again. */
  readonly rejudgeOf?: RunId;
  /** The caller knows that the suite was written for another agent. */
  readonly targetMismatchAllowed?: true;
  /** The run that a regression is measured against. */
  readonly baselineRunId?: RunId;
  /** Compared are the tasks that are the same in both suites. */
  readonly commonTasks?: true;
  /** A drop of no more than this is no regression. */
  readonly tolerance?: number;
  /** The run begins with the history of another one. */
  readonly fork?: Fork;
  /** `cli`: driven by the command that made it. `host`: any server of the store takes it up. */
  readonly origin: 'host' | 'cli';
  /** When the run was created, ISO 8601. */
  readonly createdAt: string;
  /** Since when it is paused, ISO 8601; absent while it is not. */
  readonly pausedAt?: string;
  /** All pauses that are over, added up. */
  readonly pausedMs?: number;
  /** Since when its content is gone, ISO 8601: answers, tool calls, reasons. Scores stay. Absent while it is kept. */
  readonly bodiesRemovedAt?: string;
  /** Unfinished, and no process drives it. */
  readonly interrupted?: true;
  /** Until when the run waits for people. */
  readonly waitUntil?: string;
  /** No answer came in time. The host writes that down when it next looks at the run. */
  readonly expired?: true;
  /** A few numbers of a completed eval run. */
  readonly headline?: RunTotals & Partial<HeadlineFigures> & { readonly verdict?: RunVerdict };
  /** How many events its log has. */
  readonly eventCount: number;
  /** A cancel or a pause that the driver has not obeyed yet. */
  readonly control?: { readonly kind: 'cancel' | 'pause' };
  /** Of the suite, when one run is read; lists leave it out. */
  readonly thresholds?: Thresholds;
  /** Of a move of a deployment. */
  readonly agentId?: string;
  /** What the caller asked for. */
  readonly request?: TransitionRequest;
  /** The state that the version is to have afterwards; absent when the request was refused, or changes no state. */
  readonly toState?: DeploymentState;
  /** The approvals that the move needs; `excludeRequester`: the caller who asked may not grant. */
  readonly approvals?: readonly { readonly gateId: string; readonly excludeRequester: boolean }[];
};
