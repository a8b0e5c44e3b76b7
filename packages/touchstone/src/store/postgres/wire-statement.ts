import type { SqlValue, Statement } from '../db.js';

/** A statement as the server gets it: numbered placeholders, and a name under which it is compiled once per connection. */
export type WireStatement = {
  readonly name: string;
  readonly text: string;
  readonly values: readonly SqlValue[];
};

type Form = { readonly name: string; readonly text: string };

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
    form = { name: `touchstone_${isGuard ? 'g' : 's'}${forms.size}`, text };
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

/**
 * What is sent for a batch, and the place in the batch of each. A lock is a statement of its own: what comes after it sees what
 * was committed while it waited.
 */
export function wireBatch(batch: readonly Statement[]): {
  readonly statements: readonly WireStatement[];
  readonly places: readonly (number | undefined)[];
} {
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
