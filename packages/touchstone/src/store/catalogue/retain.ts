import type { Owner } from '@touchstone/protocol';
import type { RetainedNames } from '../../ports/index.js';
import type { Db, Statement } from '../db.js';
import { textAt } from '../rows.js';

const NAMED: { readonly [kind in keyof RetainedNames]-?: { readonly table: string; readonly name: string } } =
  {
    packs: { table: 'packs', name: 'name' },
    agents: { table: 'bound_agents', name: 'agent_id' },
    suites: { table: 'suite_versions', name: 'suite_id' },
    judges: { table: 'judge_versions', name: 'judge_id' },
  };

/** Drops the names that are not among the kept ones. Suites and judges stay readable by their digest: runs are pinned to that. */
export async function retain(db: Db, owner: Owner, kept: RetainedNames): Promise<void> {
  const kinds = Object.keys(NAMED) as (keyof RetainedNames)[];
  const stale = await Promise.all(kinds.map((kind) => staleOf(db, owner, kind, new Set(kept[kind] ?? []))));
  if (stale.flat().length > 0) await db.transaction(stale.flat());
}

async function staleOf(
  db: Db,
  { tenant, workspace }: Owner,
  kind: keyof RetainedNames,
  kept: ReadonlySet<string>,
): Promise<readonly Statement[]> {
  const { table, name } = NAMED[kind];
  const where = 'WHERE tenant = ? AND workspace = ?';
  const rows = await db.all(`SELECT ${name} AS name, version FROM ${table} ${where}`, [tenant, workspace]);
  return rows
    .map((row) => [textAt(row, 'name'), textAt(row, 'version')] as const)
    .filter(([named, version]) => !kept.has(`${named}@${version}`))
    .map(([named, version]) => ({
      sql: `DELETE FROM ${table} ${where} AND ${name} = ? AND version = ?`,
      params: [tenant, workspace, named, version],
    }));
}
