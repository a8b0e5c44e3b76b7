import type { Assignment, AssignmentAnswer, AssignmentWrite } from '../../ports/index.js';
import { lockKey, type Outcome, type Statement } from '../db.js';
import { endingLock, recordStatements } from '../log/commit.js';
import type { SealRows } from '../log/seal-rows.js';
import { jsonIfGiven, numberAt } from '../rows.js';
import { stopOf } from './work.js';

/** Fails once the work has ended. Whoever ends it waits for those who have come so far. */
const OPEN = `SELECT w.run_no FROM work w JOIN runs u ON u.run_no = w.run_no
  WHERE w.run_no = ? AND w.epoch = ? AND u.status NOT IN ('completed', 'failed', 'cancelled')`;
const FINISH = 'UPDATE claims SET is_open = 0 WHERE run_no = ? AND epoch = ? AND first_unit = ?';

/** Where the claims of the epoch end, which is where the next one begins. */
const NEXT = `COALESCE((SELECT c.first_unit + c.units FROM claims c WHERE c.run_no = ? AND c.epoch = ?
  ORDER BY c.first_unit DESC LIMIT 1), (SELECT v.first_unit FROM work v WHERE v.run_no = ?))`;
const MINE = `c.run_no = ? AND c.epoch = ? AND c.place = ? AND c.is_open = 1 AND c.token = ? AND c.serial = ?`;
const LEFT = '(w.units - n.next_unit)';
/** Half of an even share of what is left: near the end nobody has much of it while others have nothing to do. */
const SHARE = `(${LEFT} / (2 * (SELECT COUNT(*) FROM assignments s WHERE s.run_no = w.run_no)))`;
const SIZE = `CASE WHEN ${LEFT} <= ? THEN ${LEFT} WHEN ${SHARE} <= ? THEN ? WHEN ${SHARE} < ? THEN ${SHARE} ELSE ? END`;
/** One claim of a run after the other, by a lock. Nothing is claimed of work that stops, or above the ceiling. */
const CLAIM = `INSERT INTO claims (run_no, epoch, first_unit, units, place, token, serial, is_open, deaths)
  SELECT w.run_no, w.epoch, n.next_unit, ${SIZE}, a.place, a.token, ?, 1, 0
  FROM work w JOIN assignments a ON a.run_no = w.run_no AND a.epoch = w.epoch
    JOIN runs u ON u.run_no = w.run_no CROSS JOIN (SELECT ${NEXT} AS next_unit) AS n
  WHERE w.run_no = ? AND w.epoch = ? AND w.stop IS NULL AND u.control IS NULL AND n.next_unit < w.units
    AND a.place = ? AND a.token = ? AND (w.ceiling_usd IS NULL OR u.spent_usd < w.ceiling_usd)
    AND NOT EXISTS (SELECT 1 FROM claims c WHERE ${MINE})`;
const CLAIMED = `SELECT c.first_unit, c.units FROM claims c WHERE ${MINE}`;
const STATE = `SELECT w.stop, u.control, u.spent_usd, ${NEXT} AS next_unit, w.units,
    CASE WHEN EXISTS (SELECT 1 FROM assignments a WHERE a.run_no = w.run_no AND a.place = ? AND a.token = ?)
      THEN 1 ELSE 0 END AS is_held
  FROM work w JOIN runs u ON u.run_no = w.run_no WHERE w.run_no = ?`;

/** The statements of one write: the guard, the records, the finished claims, the new claim, and how things stand. */
export function claimStatements(
  { owner, runNo, epoch, place, token }: Assignment,
  rows: SealRows,
  { finished, more }: Pick<AssignmentWrite, 'finished' | 'more'>,
): readonly Statement[] {
  const next = [runNo, epoch, runNo];
  const lock = { key: endingLock(runNo), shared: true } as const;
  const state: Statement = { sql: STATE, params: [...next, place, token, runNo] };
  const written = [
    { sql: OPEN, params: [runNo, epoch], guard: true, lock } as const,
    ...recordStatements(owner, rows),
    ...finished.map((first) => ({ sql: FINISH, params: [runNo, epoch, first] })),
  ];
  if (!more) return [...written, state];
  const mine = [runNo, epoch, place, token, more.serial];
  const work = [runNo, epoch, place, token];
  const { least, most, serial } = more;
  const claim: Statement = {
    sql: CLAIM,
    params: [least, least, least, most, most, serial, ...next, ...work, ...mine],
    lock: { key: lockKey('claims', String(runNo)) },
  };
  return [...written, claim, state, { sql: CLAIMED, params: mine }];
}

export function answerOf(
  { ceilingUsd }: Assignment,
  { more }: Pick<AssignmentWrite, 'more'>,
  outcomes: readonly Outcome[],
): AssignmentAnswer {
  const [claimed] = more ? (outcomes.at(-1)?.rows ?? []) : [];
  const [state] = outcomes.at(more ? -2 : -1)?.rows ?? [];
  if (!state) throw new Error('Open work was written to and not found.');
  const spentUsd = numberAt(state, 'spent_usd');
  return {
    isHeld: state.is_held === 1,
    isExhausted: numberAt(state, 'next_unit') >= numberAt(state, 'units'),
    spentUsd,
    ...stopOf(state),
    ...(ceilingUsd !== undefined && spentUsd >= ceilingUsd && state.stop === null && { stop: 'drain' }),
    ...jsonIfGiven('control', state.control),
    ...(claimed && {
      claim: { first: numberAt(claimed, 'first_unit'), count: numberAt(claimed, 'units') },
    }),
  };
}
