import { asId, type RunId, type TaskId } from '@touchstone/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Commit, Lease, LogEntry, TaskRecord } from '../../ports/index.js';
import type { Statement } from '../db.js';
import { SQLITE } from '../dialect.js';
import { commitStatements } from './commit.js';
import { fittingRows } from './seal-rows.js';

const lease = {
  owner: { tenant: 'acme', workspace: 'main' },
  runId: asId<RunId>('run-1'),
  runNo: 7,
  lostDrives: 0,
  token: 3,
} as Lease;
const sealed = (ordinal: number): TaskRecord => ({ ordinal, repeat: 0, events: [] });
const step = (ordinal: number): LogEntry => ({
  kind: 'step',
  ordinal,
  repeats: 1,
  eventCount: 4,
  at: 100 + ordinal,
  result: { taskId: asId<TaskId>(`t${ordinal}`), score: 1, passed: true },
});
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** The rows that the statements on a table insert, in order. */
function rowsInto(table: string, columns: number, statements: readonly Statement[]) {
  const params = statements
    .filter(({ sql }) => sql.startsWith(`INSERT INTO ${table} `))
    .flatMap((statement) => statement.params);
  return upTo(params.length / columns).map((row) => params.slice(row * columns, (row + 1) * columns));
}

const statementsOf = (commit: Commit & { readonly seals: readonly TaskRecord[] }, sealedAt: number) =>
  commitStatements(SQLITE, lease, commit, fittingRows(lease.runNo, commit.seals, 0, sealedAt));

it('every record and every step is one row, in order, however many share a statement', () => {
  fc.assert(
    fc.property(fc.nat(70), fc.nat(70), (seals, steps) => {
      const commit = {
        seals: upTo(seals).map(sealed),
        entries: upTo(steps).map(step),
        firstSequence: 10,
      };
      const statements = statementsOf(commit, 55);
      for (const { sql, params } of statements) expect(sql.split('?').length - 1).toBe(params.length);
      expect(rowsInto('records', 8, statements)).toEqual(
        upTo(seals).map((ordinal) => [7, ordinal, 0, 0, 55, null, null, '[]']),
      );
      expect(rowsInto('log_entries', 7, statements)).toEqual(
        upTo(steps).map((at) => [
          ...[7, 10 + 5 * at, 5, 100 + at, at, 1],
          `{"taskId":"t${at}","score":1,"passed":true}`,
        ]),
      );
    }),
  );
});

it.each([
  [256, 4],
  [64, 1],
  [83, 1 + 2 + 3],
])('a commit of %i tasks is a handful of statements', (tasks, groups) => {
  const commit = { seals: upTo(tasks).map(sealed), entries: upTo(tasks).map(step), firstSequence: 0 };
  expect(statementsOf(commit, 0)).toHaveLength(1 + groups + groups + 1 + 1);
});
