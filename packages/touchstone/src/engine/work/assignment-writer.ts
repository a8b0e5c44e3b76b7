import type { Assignment, AssignmentAnswer, Assignments, TaskRecord } from '../../ports/index.js';

/** This many waiting records fill a write. */
const FULL = 128;

/** The one writer of an assignment: records gather for a few milliseconds, a wish for more units goes with them. */
export type AssignmentWriter = {
  /** `finished` is the claim whose last unit this is. */
  add(record: TaskRecord, finished?: number): void;
  ask(most: number): void;
  readonly unsealed: number;
  readonly isAsking: boolean;
};

type WriterParts = {
  readonly assignments: Pick<Assignments, 'write'>;
  readonly assignment: Assignment;
  /** Resolves when records have waited long enough for more of them. */
  readonly gather: () => Promise<void>;
  readonly onAnswer: (answer: AssignmentAnswer) => Promise<void>;
  readonly onFailed: (error: unknown) => void;
  /** Called when a write has ended, however it did. */
  readonly onWritten: () => void;
};

export function createAssignmentWriter(parts: WriterParts): AssignmentWriter {
  let seals: TaskRecord[] = [];
  let finished: number[] = [];
  let wish: number | undefined;
  let [serial, inFlight, isAsking, isFailed] = [0, 0, false, false];
  let busy = false;
  let gathering: object | undefined;

  const takeRequest = () => {
    serial += wish === undefined ? 0 : 1;
    const request = { seals, finished, ...(wish !== undefined && { more: { most: wish, serial } }) };
    inFlight = seals.length;
    [seals, finished, wish] = [[], [], undefined];
    return request;
  };
  const write = async (): Promise<void> => {
    busy = true;
    gathering = undefined;
    try {
      const request = takeRequest();
      const answer = await parts.assignments.write(parts.assignment, request);
      // Claims are known before the wish counts as answered: in between nothing would be left to do.
      await parts.onAnswer(answer);
      inFlight = 0;
      if (request.more) isAsking = wish !== undefined;
    } catch (error) {
      [isFailed, seals, inFlight, isAsking] = [true, [], 0, false];
      parts.onFailed(error);
    }
    busy = false;
    if (!isFailed && wish !== undefined) void write();
    else if (!isFailed && seals.length > 0) writeSoon();
    parts.onWritten();
  };
  const writeSoon = (): void => {
    if (busy || gathering) return;
    const mine = {};
    gathering = mine;
    void parts.gather().then(() => {
      if (gathering === mine) void write();
    });
  };
  return {
    add(record, done) {
      if (isFailed) return;
      seals.push(record);
      if (done !== undefined) finished.push(done);
      if (seals.length < FULL) writeSoon();
      else if (!busy) void write();
    },
    ask(most) {
      if (isFailed) return;
      [wish, isAsking] = [most, true];
      if (!busy) void write();
    },
    get unsealed() {
      return seals.length + inFlight;
    },
    get isAsking() {
      return isAsking;
    },
  };
}
