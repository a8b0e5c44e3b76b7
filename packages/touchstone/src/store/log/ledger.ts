import { randomUUID } from 'node:crypto';
import { HostError } from '@touchstone/protocol';
import type { Clock, Ledger, Usage } from '../../ports/index.js';
import { type Db, GuardFailed, type Statement } from '../db.js';
import { numberAt } from '../rows.js';
import { keepTrying, writeOnce } from './keep-trying.js';

/** The running total sits on the run, because a cost ceiling asks for it before every task. */
const ADD = `UPDATE runs SET spent_usd = spent_usd + ?, unpriced_calls = unpriced_calls + ?
  WHERE run_id = ? AND tenant = ? AND workspace = ? RETURNING spent_usd`;
/** Once for each `spend_id`: money that is booked again, because nobody knows whether it has been, is not spent twice. */
const INSERT = `INSERT INTO ledger (spend_id, at, provider, model, input_tokens, output_tokens, cost_usd, run_no)
  SELECT ?, ?, ?, ?, ?, ?, ?, run_no FROM runs WHERE run_id = ? AND tenant = ? AND workspace = ?
  ON CONFLICT (run_no, spend_id) DO NOTHING`;
const BOOKED = `SELECT l.spend_id FROM runs u JOIN ledger l ON l.run_no = u.run_no
  WHERE u.run_id = ? AND u.tenant = ? AND u.workspace = ? AND l.spend_id = ?`;
const TOTAL = 'SELECT spent_usd, unpriced_calls FROM runs WHERE run_id = ? AND tenant = ? AND workspace = ?';

export function createLedger(db: Db, clock: Clock): Ledger {
  const nextSpendId = createSpendIds();
  const total: Ledger['total'] = async (owner, runId) => {
    const [row] = await db.all(TOTAL, [runId, owner.tenant, owner.workspace]);
    return row
      ? { usd: numberAt(row, 'spent_usd'), unpriced: numberAt(row, 'unpriced_calls') }
      : { usd: 0, unpriced: 0 };
  };
  return {
    async record(owner, runId, usage) {
      if (usage.length === 0) return (await total(owner, runId)).usd;
      const key = [runId, owner.tenant, owner.workspace];
      const usd = usage.reduce((sum, call) => sum + (call.costUsd ?? 0), 0);
      const unpriced = usage.filter((call) => call.costUsd === undefined).length;
      // Its rows are read, so it is no guard itself: without the run, none of the calls before it could be booked.
      const add: Statement = { sql: ADD, params: [usd, unpriced, ...key] };
      const spendId = nextSpendId();
      const calls = usage.map((call, place): Statement => {
        const params = [`${spendId}-${place}`, clock.now(), ...callParams(call), ...key];
        return { sql: INSERT, params, guard: true };
      });
      let spentUsd: number | undefined;
      const write = async () => {
        const outcomes = await db.transaction([...calls, add], runId);
        const [row] = outcomes.at(-1)?.rows ?? [];
        spentUsd = row && numberAt(row, 'spent_usd');
      };
      const isBooked = async () => (await db.all(BOOKED, [...key, `${spendId}-0`])).length > 0;
      await writeOnce(clock, write, isBooked).catch((error) => {
        // Money without a run to book it on is a defect of the caller, and must not vanish in silence.
        if (error instanceof GuardFailed) throw new HostError('not_found', 'No such run to book usage on.');
        throw error;
      });
      return spentUsd ?? (await keepTrying(clock, () => total(owner, runId))).usd;
    },
    total,
  };
}

/**
 * Names of bookings, in the order in which they are made: a commit then touches the last page of the index. Names by chance touch
 * a page each, and every page is flushed.
 */
function createSpendIds(): () => string {
  const ofThisStore = randomUUID();
  let last = 0;
  return () => {
    last += 1;
    return `${ofThisStore}-${String(last).padStart(12, '0')}`;
  };
}

const callParams = (call: Usage) => [
  call.provider,
  call.model,
  call.inputTokens,
  call.outputTokens,
  call.costUsd ?? null,
];
