import { asId, type Digest, type RunId } from '@touchstone/protocol';
import {
  type Assignment,
  type AssignmentHolder,
  type Assignments,
  type OpenClaim,
  SILENT_MS,
  WorkEnded,
} from '../../ports/index.js';
import { type Db, GuardFailed, type Row, type Statement } from '../db.js';
import { keepTrying } from '../log/keep-trying.js';
import type { LeaseClock } from '../log/lease-clock.js';
import { isGone } from '../log/leases.js';
import type { Pace } from '../log/page-rows.js';
import { type SealRows, writeButLast } from '../log/seal-rows.js';
import type { Peers } from '../peers.js';
import { jsonIfGiven, numberAt, textAt } from '../rows.js';
import { answerOf, claimStatements } from './claim-statements.js';
import { stopOf } from './work.js';

const LIST = `SELECT a.run_no, a.place, a.epoch, a.slots, a.token, a.since, a.holder, u.run_id, u.tenant, u.workspace,
    u.control, w.environment, w.has_sealed, w.ceiling_usd, w.stop,
    CASE WHEN w.units > COALESCE((SELECT c.first_unit + c.units FROM claims c WHERE c.run_no = w.run_no AND c.epoch = w.epoch
        ORDER BY c.first_unit DESC LIMIT 1), w.first_unit)
      OR EXISTS (SELECT 1 FROM claims o WHERE o.run_no = a.run_no AND o.epoch = a.epoch AND o.place = a.place AND o.is_open = 1)
      THEN 1 ELSE 0 END AS has_units
  FROM assignments a JOIN work w ON w.run_no = a.run_no AND w.epoch = a.epoch JOIN runs u ON u.run_no = a.run_no
  WHERE u.status NOT IN ('completed', 'failed', 'cancelled') ORDER BY a.run_no, a.place`;
const WAITING = `SELECT COUNT(*) AS found FROM (${LIST}) AS l WHERE l.holder IS NULL AND l.has_units = 1 AND l.stop IS NULL`;
const UNITS_LEFT = `SELECT COALESCE(SUM(w.units - COALESCE((SELECT c.first_unit + c.units FROM claims c
    WHERE c.run_no = w.run_no AND c.epoch = w.epoch ORDER BY c.first_unit DESC LIMIT 1), w.first_unit)), 0) AS found
  FROM work w WHERE w.stop IS NULL`;
const HOLDERS = 'SELECT worker, environment, beat_at FROM workers WHERE beat_at >= ? ORDER BY worker';
const OF_ASSIGNMENT = 'run_no = ? AND place = ? AND epoch = ? AND token = ?';
const TAKE = `UPDATE assignments SET token = token + 1, holder = ?, since = ? WHERE ${OF_ASSIGNMENT}`;
const COUNT_DEATH = `UPDATE claims SET deaths = deaths + 1
  WHERE run_no = ? AND epoch = ? AND place = ? AND is_open = 1`;
const TAKE_BACK_DEATH = `UPDATE claims SET deaths = deaths - 1
  WHERE run_no = ? AND epoch = ? AND first_unit = ? AND is_open = 1 AND deaths > 0`;
const OPEN_CLAIMS = `SELECT first_unit, units, deaths, alone_unit FROM claims
  WHERE run_no = ? AND epoch = ? AND place = ? AND is_open = 1 ORDER BY first_unit`;
const NOTE_ALONE = 'UPDATE claims SET alone_unit = ? WHERE run_no = ? AND epoch = ? AND first_unit = ?';
const RELEASE = `UPDATE assignments SET token = token + 1, holder = NULL, since = ? WHERE ${OF_ASSIGNMENT}`;
const REMOVE = `DELETE FROM assignments WHERE ${OF_ASSIGNMENT}`;
/** What is found out while the work drains counts more than that it does. */
const STOP = `UPDATE work SET stop = ? WHERE run_no = ? AND epoch = ? AND COALESCE(stop, 'drain') = 'drain'`;
const SEALED_UNITS = 'SELECT ordinal, repeat FROM records WHERE run_no = ? AND ordinal BETWEEN ? AND ?';

/** After the database was away nobody has told so for a while: everyone gets the time to. */
const SETTLED_MS = 10_000;
const LOOKS_APART_MS = 4_000;

export function createAssignments(
  db: Db,
  clock: LeaseClock,
  holder: string,
  peers: Peers,
  pace: Pace,
): Assignments {
  const looks = createLooks(clock);
  const list: Assignments['list'] = async () => {
    const rows = await db.all(LIST, []);
    const now = clock.now();
    const workers = await db.all(HOLDERS, [now - SILENT_MS]);
    const present = new Set(workers.map((row) => textAt(row, 'worker')));
    const isSettled = looks.note();
    await peers.look(namesIn(rows).filter((name) => name !== holder));
    const isLost = (name: string): boolean =>
      name !== holder && (isGone(name) || peers.isGone(name) || (isSettled && !present.has(name)));
    const assignments = rows.map((row) => toAssignment(row, isLost));
    return { assignments, holders: workers.map(toHolder), own: holder, now };
  };
  return {
    list,
    async waiting() {
      const [assignments, units] = await Promise.all([WAITING, UNITS_LEFT].map((sql) => db.all(sql, [])));
      return { assignments: foundIn(assignments), units: foundIn(units) };
    },
    take: (assignment) => take(db, clock, holder, assignment),
    write: (assignment, request) => write(db, clock, pace, assignment, request),
    async sealedUnits({ runNo }, range) {
      const rows = await keepTrying(clock, () => db.all(SEALED_UNITS, [runNo, ...range]));
      return rows.map((row) => ({ ordinal: numberAt(row, 'ordinal'), repeat: numberAt(row, 'repeat') }));
    },
    async noteAlone(assignment, claim, unit) {
      const params = [unit, assignment.runNo, assignment.epoch, claim];
      await keepTrying(clock, () => db.transaction([{ sql: NOTE_ALONE, params }], queueOf(assignment)));
    },
    async returned(assignment, claims) {
      const { runNo, epoch } = assignment;
      const batch = claims.map((first) => ({ sql: TAKE_BACK_DEATH, params: [runNo, epoch, first] }));
      if (batch.length > 0) await db.transaction(batch, queueOf(assignment));
    },
    async stop(assignment, why) {
      const params = [why, assignment.runNo, assignment.epoch];
      await keepTrying(clock, () => db.transaction([{ sql: STOP, params }], queueOf(assignment)));
      peers.notify('work', assignment.runId);
    },
    // Released twice is released: the token has moved on.
    async release(assignment, isDone) {
      const params = isDone ? keyOf(assignment) : [clock.now(), ...keyOf(assignment)];
      const letGo = { sql: isDone ? REMOVE : RELEASE, params };
      await keepTrying(clock, () => db.transaction([letGo], queueOf(assignment)));
      peers.notify('work', assignment.runId);
    },
    offer: (runId) => peers.notify('work', runId),
    watchOffers: (listener) => peers.listen('work', listener),
  };
}

const foundIn = (rows: readonly Row[] = []): number => (rows[0] ? numberAt(rows[0], 'found') : 0);

/** Assignments of a process write side by side; what one of them writes takes effect in order. */
const queueOf = ({ runId, place }: Assignment): string => `${runId} ${place}`;

const keyOf = ({ runNo, place, epoch, token }: Assignment): readonly number[] => [runNo, place, epoch, token];

/** Whether this process has looked without a break for long enough to call others silent. */
function createLooks(clock: LeaseClock): { note(): boolean } {
  let [since, last] = [clock.elapsed(), clock.elapsed()];
  return {
    note() {
      const now = clock.elapsed();
      if (now - last > LOOKS_APART_MS) since = now;
      last = now;
      return now - since >= SETTLED_MS;
    },
  };
}

const namesIn = (rows: readonly Row[]): readonly string[] => [
  ...new Set(rows.flatMap((row) => (row.holder === null ? [] : [textAt(row, 'holder')]))),
];

const toHolder = (row: Row): AssignmentHolder => ({
  name: textAt(row, 'worker'),
  environment: asId<Digest>(textAt(row, 'environment')),
});

const toAssignment = (row: Row, isLost: (holder: string) => boolean): Assignment => ({
  owner: { tenant: textAt(row, 'tenant'), workspace: textAt(row, 'workspace') },
  runId: asId<RunId>(textAt(row, 'run_id')),
  runNo: numberAt(row, 'run_no'),
  epoch: numberAt(row, 'epoch'),
  place: numberAt(row, 'place'),
  slots: numberAt(row, 'slots'),
  token: numberAt(row, 'token'),
  since: numberAt(row, 'since'),
  hasUnits: row.has_units === 1,
  hasSealed: row.has_sealed === 1,
  isLost: row.holder !== null && isLost(textAt(row, 'holder')),
  ...(row.holder !== null && { holder: textAt(row, 'holder') }),
  ...(row.environment !== null && { environment: asId<Digest>(textAt(row, 'environment')) }),
  ...(row.ceiling_usd !== null && { ceilingUsd: numberAt(row, 'ceiling_usd') }),
  ...stopOf(row),
  ...jsonIfGiven('control', row.control),
});

/** Claims count the holders that were lost with them: what one unit does may be what ends the processes. */
async function take(
  db: Db,
  clock: LeaseClock,
  holder: string,
  listed: Assignment,
): ReturnType<Assignments['take']> {
  const { runNo, epoch, place } = listed;
  const taking: Statement = { sql: TAKE, params: [holder, clock.now(), ...keyOf(listed)], guard: true };
  const died: Statement = { sql: COUNT_DEATH, params: [runNo, epoch, place] };
  try {
    await db.transaction([taking, ...(listed.isLost ? [died] : [])], queueOf(listed));
  } catch (error) {
    if (error instanceof GuardFailed) return undefined;
    throw error;
  }
  const claims = await keepTrying(clock, () => db.all(OPEN_CLAIMS, [runNo, epoch, place]));
  const assignment = { ...listed, token: listed.token + 1, holder, isLost: false, since: clock.now() };
  return { assignment, claims: claims.map(toOpenClaim) };
}

const toOpenClaim = (row: Row): OpenClaim => ({
  first: numberAt(row, 'first_unit'),
  count: numberAt(row, 'units'),
  deaths: numberAt(row, 'deaths'),
  ...(row.alone_unit !== null && { aloneUnit: numberAt(row, 'alone_unit') }),
});

/** All of it is the same when it is sent twice. */
async function write(
  db: Db,
  clock: LeaseClock,
  pace: Pace,
  assignment: Assignment,
  request: Parameters<Assignments['write']>[1],
): ReturnType<Assignments['write']> {
  const { owner, runNo, runId } = assignment;
  const sendRows = (rows: SealRows, asked: Parameters<typeof claimStatements>[2]) =>
    keepTrying(clock, () => db.transaction(claimStatements(assignment, rows, asked), queueOf(assignment)));
  try {
    const pieces = {
      records: request.seals,
      runNo,
      sealedAt: clock.now(),
      writePiece: (rows: SealRows) => sendRows(rows, { finished: [] }),
    };
    const rows = await writeButLast(pieces, (bytes) => pace(owner, [{ bytes }]));
    return answerOf(assignment, request, await sendRows(rows, request));
  } catch (error) {
    throw error instanceof GuardFailed ? new WorkEnded(runId) : error;
  }
}
