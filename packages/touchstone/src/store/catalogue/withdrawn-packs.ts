import { asId, type Owner } from '@touchstone/protocol';
import type { PackHead, PackRemoval, Packs, Withdrawal } from '../../ports/index.js';
import { auditStatement } from '../audit.js';
import { type Db, GuardFailed, type Row, type SqlValue, type Statement } from '../db.js';
import { textAt, toPackHead } from '../rows.js';

const OWN = 'tenant = ? AND workspace = ?';
const GET = `SELECT name, version, digest, revoked FROM withdrawn_packs WHERE ${OWN} AND name = ? AND version = ?`;
const REVOKED = `SELECT name, version FROM withdrawn_packs WHERE ${OWN} AND revoked = 1 ORDER BY name, version`;
const INSERT = `INSERT INTO withdrawn_packs (tenant, workspace, name, version, digest, revoked, withdrawn_at)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, workspace, name, version) DO UPDATE SET`;
/** A version that was revoked stays so when it is removed. */
const REMOVED = `${INSERT} digest = excluded.digest`;
const REVOKE = `${INSERT} revoked = 1, digest = COALESCE(withdrawn_packs.digest, excluded.digest),
  withdrawn_at = excluded.withdrawn_at WHERE withdrawn_packs.revoked = 0`;

const OTHERS = `SELECT name, version, integrity, digest, signed_by, files_signed, agents, draft FROM packs
  WHERE ${OWN} AND NOT (name = ? AND version = ?)`;
const UNMOVED = `NOT EXISTS (SELECT 1 FROM deployments WHERE ${OWN} AND agent_id = ? AND revision <> ?)`;
const DELETE_PACK = `DELETE FROM packs WHERE ${OWN} AND name = ? AND version = ? AND digest = ?`;
const DELETE_AGENT = `DELETE FROM bound_agents WHERE ${OWN} AND agent_id = ? AND version = ?`;
/** A suite that was there before the pack came stays. */
const DELETE_SUITE = `DELETE FROM suite_versions WHERE ${OWN} AND suite_id = ? AND version = ?
  AND installed_at >= (SELECT installed_at FROM packs WHERE ${OWN} AND name = ? AND version = ?)`;

type Withdrawing = Pick<Packs, 'remove' | 'revoke' | 'withdrawn' | 'revoked'>;

export const createWithdrawnPacks = (db: Db): Withdrawing => ({
  remove: (owner, removal) => remove(db, owner, removal),
  async revoke(owner, { name, version, digest }, at, audit) {
    const params = [...ownerOf(owner), name, version, digest ?? null, 1, at];
    const batch = [{ sql: REVOKE, params, guard: true } as const, auditStatement(db.dialect, owner, audit)];
    return unlessGuarded(db.transaction(batch), 'revoked', 'same');
  },
  async withdrawn(owner, name, version) {
    const [row] = await db.all(GET, [...ownerOf(owner), name, version]);
    return row && toWithdrawal(row);
  },
  async revoked(owner) {
    return (await db.all(REVOKED, ownerOf(owner))).map(nameOf);
  },
});

const ownerOf = ({ tenant, workspace }: Owner): readonly string[] => [tenant, workspace];

const nameOf = (row: Row): Pick<Withdrawal, 'name' | 'version'> => ({
  name: textAt(row, 'name'),
  version: asId(textAt(row, 'version')),
});

const toWithdrawal = (row: Row): Withdrawal => ({
  ...nameOf(row),
  ...(row.digest !== null && { digest: asId(textAt(row, 'digest')) }),
  revoked: row.revoked === 1,
});

async function remove(db: Db, owner: Owner, removal: PackRemoval): Promise<'removed' | 'moved'> {
  const { head, audit } = removal;
  const { name, version } = head;
  const own = ownerOf(owner);
  const others = (await db.all(OTHERS, [...own, name, version])).map(toPackHead);
  const kept = new Set(others.flatMap(suiteRefsOf));
  const suites = suiteRefsOf(head).filter((ref) => !kept.has(ref));
  const batch: readonly Statement[] = [
    ...suites.map((ref) => deleteSuite(own, ref, head)),
    deletePack(own, removal),
    ...head.agents.map(({ agentId }) => ({ sql: DELETE_AGENT, params: [...own, agentId, version] })),
    ...(head.draft ? [] : [tombstone(own, removal)]),
    auditStatement(db.dialect, owner, audit),
  ];
  return unlessGuarded(db.transaction(batch), 'removed', 'moved');
}

/** As a guard: undone when the pack is another one by now, or one of its agents has been moved. */
function deletePack(own: readonly string[], { head, seen }: PackRemoval): Statement {
  const { name, version, digest } = head;
  const moved = seen.flatMap(({ agentId, revision }): SqlValue[] => [...own, agentId, revision]);
  return {
    sql: [DELETE_PACK, ...seen.map(() => UNMOVED)].join(' AND '),
    params: [...own, name, version, digest, ...moved],
    guard: true,
  };
}

const deleteSuite = (own: readonly string[], ref: string, { name, version }: PackHead): Statement => ({
  sql: DELETE_SUITE,
  params: [...own, ...ref.split('@', 2), ...own, name, version],
});

/** Not for a draft: what is in the making may be made otherwise. */
const tombstone = (own: readonly string[], { head, at }: PackRemoval): Statement => ({
  sql: REMOVED,
  params: [...own, head.name, head.version, head.digest, 0, at],
});

const suiteRefsOf = ({ agents }: PackHead): readonly string[] => [
  ...new Set(agents.flatMap(({ suiteRef, contractRef }) => [suiteRef ?? [], contractRef ?? []].flat())),
];

async function unlessGuarded<T>(written: Promise<unknown>, done: T, undone: T): Promise<T> {
  try {
    await written;
    return done;
  } catch (error) {
    if (error instanceof GuardFailed) return undone;
    throw error;
  }
}
