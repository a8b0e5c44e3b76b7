import { randomBytes } from 'node:crypto';
import type { Db } from './db.js';
import { textAt } from './rows.js';

const GET = 'SELECT secret FROM secrets WHERE name = ?';
const KEEP = 'INSERT INTO secrets (name, secret) VALUES (?, ?) ON CONFLICT (name) DO NOTHING';

const BYTES = 32;

/** The second of two writers stores nothing and reads what the first one stored. */
export async function secretOf(db: Db, name: string): Promise<string> {
  const [known] = await db.all(GET, [name]);
  if (known) return textAt(known, 'secret');
  const [, found] = await db.transaction([
    { sql: KEEP, params: [name, randomBytes(BYTES).toString('base64url')] },
    { sql: GET, params: [name] },
  ]);
  const [row] = found?.rows ?? [];
  if (!row) throw new Error('A secret was kept and not found.');
  return textAt(row, 'secret');
}
