import { expect, it } from 'vitest';
import { asTransaction, wireBatch, wireStatement } from './wire-statement.js';

it('places are numbered, and question marks of quoted texts are left alone', () => {
  const { text, values } = wireStatement("SELECT '?' || name FROM t WHERE a = ? AND b = ?", ['x', 2]);
  expect(text).toBe("SELECT '?' || name FROM t WHERE a = $1 AND b = $2");
  expect(values).toEqual(['x', 2]);
});

it('the same text has the same name, and as a guard another one', () => {
  const sql = 'UPDATE t SET a = ?';
  expect(wireStatement(sql, [1]).name).toBe(wireStatement(sql, [2]).name);
  expect(wireStatement(sql, [1], true).name).not.toBe(wireStatement(sql, [1]).name);
});

it('a guard fails where it touches no row, whether it writes or reads', () => {
  expect(wireStatement('UPDATE t SET a = 1', [], true).text).toBe(
    'WITH touched AS (UPDATE t SET a = 1 RETURNING 1) SELECT COUNT(*) AS touched, 1 / COUNT(*) AS one FROM touched',
  );
  expect(wireStatement('SELECT a FROM t', [], true).text).toContain('AS (SELECT a FROM t)');
});

it('a lock is a statement of its own before the one that relies on it, and has no outcome', () => {
  const { statements, places } = wireBatch([
    { sql: 'SELECT 1', params: [] },
    { sql: 'SELECT 2', params: [], lock: { key: 'k' } },
    { sql: 'SELECT 3', params: [], lock: { key: 'k', shared: true } },
  ]);
  expect(places).toEqual([0, undefined, 1, undefined, 2]);
  expect(statements[1]).toMatchObject({
    text: expect.stringContaining('pg_advisory_xact_lock('),
    values: ['k'],
  });
  expect(statements[3]).toMatchObject({ text: expect.stringContaining('pg_advisory_xact_lock_shared(') });
});

const batchOf = (...texts: readonly string[]) => wireBatch(texts.map((sql) => ({ sql, params: [] })));

it('a name is made of the text alone: two programs behind one pooler have the same names for the same texts only', () => {
  const name = (sql: string) => wireStatement(sql, []).name;
  expect(name('SELECT 1')).toBe('touchstone_e004ebd5b5532a4b85984a62f8ad48a8');
  expect(name('SELECT 2')).not.toBe(name('SELECT 1'));
});

it('a single statement is a transaction by itself, and a transaction of its own where sessions are not kept', () => {
  const text = (keepsSession: boolean, ...sql: string[]) =>
    asTransaction(batchOf(...sql), { schema: 's', keepsSession }).statements.map((one) => one.text);
  expect(text(true, 'SELECT 1')).toEqual(['SELECT 1']);
  expect(text(true, 'SELECT 1', 'SELECT 2')).toEqual(['BEGIN', 'SELECT 1', 'SELECT 2', 'COMMIT']);
  expect(text(false, 'SELECT 1')).toEqual(['BEGIN', 'SET LOCAL search_path = s', 'SELECT 1', 'COMMIT']);
});

it('where sessions are not kept no statement has a name, and outcomes keep their places', () => {
  const sent = asTransaction(batchOf('SELECT 1', 'SELECT 2'), { schema: 's', keepsSession: false });
  expect(sent.statements.filter(({ name }) => name !== undefined)).toEqual([]);
  expect(sent.places).toEqual([undefined, undefined, 0, 1, undefined]);
});
