// The file of the store, and the chain of its audit records.
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { parse } from '../calls.mjs';
import { TENANTS } from '../work.mjs';

/** Once more over HTTP, while hosts run. */
export async function checkAudit({ calls, keys, findings }) {
  const records = {};
  for (const tenant of TENANTS) {
    const { status, text } = await calls.call('GET', '/v1/audit/verify', { key: keys[tenant] });
    const verified = parse(text ?? '') ?? {};
    records[tenant] = verified.records;
    if (status !== 200 || !verified.valid) findings.add('the audit chain is broken', `${tenant}: ${text}`);
  }
  return records;
}

/** With the hosts ended: what SQLite says of the file. */
export function checkFile({ storage, findings }) {
  const database = new DatabaseSync(join(storage.data, 'touchstone.db'));
  const rows = database.prepare('PRAGMA integrity_check').all();
  const orphans = database.prepare('PRAGMA foreign_key_check').all();
  database.close();
  const [first] = rows.map((row) => Object.values(row)[0]);
  if (first !== 'ok') findings.add('the store is damaged', JSON.stringify(rows));
  if (orphans.length > 0) findings.add('the store has rows without their parent', JSON.stringify(orphans));
  return first;
}
