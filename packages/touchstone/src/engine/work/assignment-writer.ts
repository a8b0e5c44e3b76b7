import type {
  Assignment,
  AssignmentAnswer,
  Assignments,
  AssignmentWrite,
  TaskRecord,
} from '../../ports/index.js';

type ClaimSize = Omit<NonNullable<AssignmentWrite['more']>, 'serial'>;

/** This many waiting records fill a write. */
const FULL = 128;

/** The one writer of an assignment: records gather for a few milliseconds, a wish for more units goes with them. */
export type AssignmentWriter = {
  /** `finished` is the claim whose last unit this is. There is no record of a unit that another process has sealed. */
  add(record: TaskRecord | undefined, finished?: number): void;
  ask(wanted: ClaimSize): void;
  /** Records and finished claims that are not on disk. */
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
  let wish: ClaimSize | undefined;
  let [serial, inFlight, isAsking, isFailed] = [0, 0, false, false];
  let busy = false;
  let gathering: object | undefined;

  const waiting = (): number => seals.length + finished.length;
  const takeRequest = () => {
    serial += wish === undefined ? 0 : 1;
    const request = { seals, finished, ...(wish && { more: { ...wish, serial } }) };
    inFlight = waiting();
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
      [isFailed, seals, finished, inFlight, isAsking] = [true, [], [], 0, false];
      parts.onFailed(error);
    }
    busy = false;
    if (!isFailed && wish !== undefined) void write();
    else if (!isFailed && waiting() > 0) writeSoon();
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
      if (record) seals.push(record);
      if (done !== undefined) finished.push(done);
      if (waiting() === 0) return;
      if (seals.length < FULL) writeSoon();
      else if (!busy) void write();
    },
    ask(wanted) {
      if (isFailed) return;
      [wish, isAsking] = [wanted, true];
      if (!busy) void write();
    },
    get unsealed() {
      return waiting() + inFlight;
    },
    get isAsking() {
      return isAsking;
    },
  };
}
