import type { ApprovalPolicy, Owner, Principal, RunId } from '@touchstone/protocol';
import type { Body, InterruptKind } from '@touchstone/protocol/bodies';
import type { Run } from './store/runs.js';

/** A question that a run has asked and waits on. */
export type Interrupt = {
  readonly runId: RunId;
  readonly nodeId: string;
  readonly interruptId: string;
  readonly key: string;
  readonly kind: InterruptKind;
  readonly data: Body;
  readonly resumeSchema?: Body;
  readonly requestedAt: number;
  /** After this moment the answer is no. */
  readonly deadline?: number;
  readonly resolved: boolean;
};

/** How far the approval is that a deployment waits for. */
export type OpenApproval = {
  readonly policy: ApprovalPolicy;
  /** People who have granted it in the present round. */
  readonly granted: number;
};

export type Interrupts = {
  /** The approval that a run waits for; undefined when it waits for none, or is not this owner's. */
  approval(owner: Owner, runId: RunId): Promise<OpenApproval | undefined>;
  /** The newest question of a node; undefined when it never asked one, or the run is not this owner's. */
  find(owner: Owner, runId: RunId, nodeId: string): Promise<Interrupt | undefined>;
  /**
   * Answers it. Rejects with `interrupt_not_found`, `interrupt_already_resolved`, `interrupt_cancelled`,
   * `INVALID_RESUME_VALUE` or `forbidden`; the question stays open then. With `interruptId`, only that one is answered.
   */
  resolve(owner: Owner, answer: InterruptAnswer): Promise<Run>;
};

export type InterruptAnswer = {
  readonly runId: RunId;
  readonly nodeId: string;
  readonly interruptId?: string;
  readonly by: Principal;
  readonly value: unknown;
};
