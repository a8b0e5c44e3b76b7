import type { Assignment, OpenClaim, Run } from '../../ports/index.js';
import type { Executor } from '../kinds/run-kind.js';
import type { Parts } from '../parts.js';
import type { TurnLine } from '../run/turn-line.js';
import type { AssignmentStop } from './assignment-step.js';
import type { AssignmentWriter } from './assignment-writer.js';
import type { ClaimedUnit } from './claimed-units.js';
import { wasUnseen } from './presence.js';
import type { TurnsAlone } from './turns-alone.js';
import type { UnitNumbers } from './unit-numbers.js';

export type AssignmentContext = {
  readonly parts: Parts;
  readonly run: Run;
  readonly assignment: Assignment;
  readonly claims: readonly OpenClaim[];
  readonly presence: number | undefined;
  readonly numbers: UnitNumbers;
  readonly executor: Executor;
  readonly alone: TurnsAlone;
};

/** Facts of an assignment that change while it is executed. */
export type AssignmentState = {
  isOver: boolean;
  /** Another process has it, because this one was counted as lost. */
  isTaken: boolean;
  leaving: boolean;
  releasing: boolean;
  stop: AssignmentStop | undefined;
  isExhausted: boolean;
  /** They grow while the driver finishes its own units. */
  slots: number;
  running: number;
  runningAlone: boolean;
  /** The presence of this process when the assignment was last its own for certain. */
  presence: number | undefined;
  wake: () => void;
};

export type AssignmentLoop = AssignmentContext & {
  readonly state: AssignmentState;
  readonly ready: ClaimedUnit[];
  /** How many units of each claim are not executed. */
  readonly left: Map<number, number>;
  readonly writer: AssignmentWriter;
  readonly abort: AbortController;
  readonly withdrawal: AbortController;
  /** Units that have a slot, and those that wait with the agent for one. */
  readonly line: TurnLine;
};

/** Another process may have it. */
export const isUnsure = ({ sharing }: Parts, { presence }: AssignmentState): boolean =>
  wasUnseen(sharing, presence);
