import { createHash } from 'node:crypto';
import type { SqlValue, Statement } from '../db.js';
import type { PostgresAddress } from './postgres-address.js';

/**
 * A statement as the server gets it: numbered placeholders, and a name under which it is compiled once per connection. The name
 * is made of the text: a session that a pooler shares between programs must never execute another text than the one sent.
 */
export type WireStatement = {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly SqlValue[];
};

type Form = Required<Pick<WireStatement, 'name' | 'text'>>;

const nameOf = (text: string): string =>
  `touchstone_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;

const plainForms = new Map<string, Form>();
const guardForms = new Map<string, Form>();

/** `?` inside of a quoted text is part of the text. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replace(/'[^']*'|\?/g, (found) => {
    if (found !== '?') return found;
    count += 1;
    return `$${count}`;
  });
}

/** Division by zero is the one way for a statement to fail by the number of rows that another one touched. */
function guarded(sql: string): string {
  const answers = /^\s*select\b|\breturning\b/i.test(sql);
  return `WITH touched AS (${sql}${answers ? '' : ' RETURNING 1'}) SELECT COUNT(*) AS touched, 1 / COUNT(*) AS one FROM touched`;
}

function formOf(sql: string, isGuard: boolean): Form {
  const forms = isGuard ? guardForms : plainForms;
  let form = forms.get(sql);
  if (!form) {
    const text = numbered(isGuard ? guarded(sql) : sql);
    form = { name: nameOf(text), text };
    forms.set(sql, form);
  }
  return form;
}

export const wireStatement = (sql: string, values: readonly SqlValue[], isGuard = false): WireStatement => ({
  ...formOf(sql, isGuard),
  values,
});

const LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended(?, 0))';
const LOCK_SHARED = 'SELECT pg_advisory_xact_lock_shared(hashtextextended(?, 0))';

/** What is sent, and the place in the batch of each; what has none was not in it. */
type WireBatch = {
  readonly statements: readonly WireStatement[];
  readonly places: readonly (number | undefined)[];
};

/** A lock is a statement of its own: what comes after it sees what was committed while it waited. */
export function wireBatch(batch: readonly Statement[]): WireBatch {
  const statements: WireStatement[] = [];
  const places: (number | undefined)[] = [];
  for (const [place, { sql, params, guard, lock }] of batch.entries()) {
    if (lock) {
      statements.push(wireStatement(lock.shared ? LOCK_SHARED : LOCK, [lock.key]));
      places.push(undefined);
    }
    statements.push(wireStatement(sql, params, guard === true));
    places.push(place);
  }
  return { statements, places };
}

const BEGIN: WireStatement = { name: 'touchstone_begin', text: 'BEGIN', values: [] };
const COMMIT: WireStatement = { name: 'touchstone_commit', text: 'COMMIT', values: [] };

/**
 * A batch as a transaction; a single statement is one by itself. Where sessions are not kept, each transaction says where the
 * tables are, and no statement has a name.
 */
export function asTransaction(
  { statements, places }: WireBatch,
  { schema, keepsSession }: Pick<PostgresAddress, 'schema' | 'keepsSession'>,
): WireBatch {
  if (keepsSession && statements.length === 1) return { statements, places };
  const path: WireStatement = { text: `SET LOCAL search_path = ${schema}`, values: [] };
  const before = keepsSession ? [BEGIN] : [BEGIN, path];
  const all = [...before, ...statements, COMMIT];
  return {
    statements: keepsSession ? all : all.map(({ text, values }) => ({ text, values })),
    places: [...before.map(() => undefined), ...places, undefined],
  };
}
