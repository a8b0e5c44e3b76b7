import { asId, type Digest, type Owner } from '@touchstone/protocol';
import type { PinnedContract } from '@touchstone/protocol/bodies';
import type { Suites } from '../../ports/index.js';
import type { Db, Row, Statement } from '../db.js';
import { jsonAt, textAt } from '../rows.js';

const INSERT = `INSERT INTO contracts (tenant, workspace, digest, contract) VALUES (?, ?, ?, ?)
  ON CONFLICT (tenant, workspace, digest) DO NOTHING`;
const INSERT_LINK = `INSERT INTO suite_contracts (tenant, workspace, suite_digest, contract_digest, attached_at)
  VALUES (?, ?, ?, ?, ?) ON CONFLICT (tenant, workspace, suite_digest)`;
const ATTACH = `${INSERT_LINK}
  DO UPDATE SET contract_digest = excluded.contract_digest, attached_at = excluded.attached_at`;
/** Touches a row when the suite has no contract yet or this very one, and none when it has another. */
const ATTACH_ONCE = `${INSERT_LINK} DO UPDATE SET contract_digest = excluded.contract_digest
  WHERE suite_contracts.contract_digest = excluded.contract_digest`;
const DETACH = 'DELETE FROM suite_contracts WHERE tenant = ? AND workspace = ? AND suite_digest = ?';
const BY_DIGEST = 'SELECT digest, contract FROM contracts WHERE tenant = ? AND workspace = ? AND digest = ?';
const BY_SUITE = `SELECT c.digest, c.contract FROM suite_contracts s JOIN contracts c
  ON c.tenant = s.tenant AND c.workspace = s.workspace AND c.digest = s.contract_digest
  WHERE s.tenant = ? AND s.workspace = ? AND s.suite_digest = ?`;

/** Contracts are kept like suites: once per digest, with a name that points to the latest. */
export function createContracts(db: Db): Pick<Suites, 'attach' | 'detach' | 'contractOf' | 'contract'> {
  const one = async (sql: string, owner: Owner, digest: Digest): Promise<PinnedContract | undefined> => {
    const [row] = await db.all(sql, [owner.tenant, owner.workspace, digest]);
    return row && toPinned(row);
  };
  return {
    async attach(owner, suite, contract, at) {
      await db.transaction(attachStatements(owner, suite, contract, at));
    },
    async detach(owner, suite) {
      await db.transaction([{ sql: DETACH, params: [owner.tenant, owner.workspace, suite] }]);
    },
    contractOf: (owner, suite) => one(BY_SUITE, owner, suite),
    contract: (owner, digest) => one(BY_DIGEST, owner, digest),
  };
}

// Statements, not calls, so that a pack can write them in its own transaction.

export const attachStatements = (
  owner: Owner,
  suite: Digest,
  contract: PinnedContract,
  at: number,
): readonly Statement[] => [
  contentStatement(owner, contract),
  { sql: ATTACH, params: linkParams(owner, suite, contract, at) },
];

/** With a guard: a suite that has another contract undoes the whole batch. */
export const attachOnceStatements = (
  owner: Owner,
  suite: Digest,
  contract: PinnedContract,
  at: number,
): readonly Statement[] => [
  contentStatement(owner, contract),
  { sql: ATTACH_ONCE, params: linkParams(owner, suite, contract, at), guard: true },
];

const contentStatement = (owner: Owner, { contract, digest }: PinnedContract): Statement => ({
  sql: INSERT,
  params: [owner.tenant, owner.workspace, digest, JSON.stringify(contract)],
});

const linkParams = (owner: Owner, suite: Digest, { digest }: PinnedContract, at: number) => [
  owner.tenant,
  owner.workspace,
  suite,
  digest,
  at,
];

const toPinned = (row: Row): PinnedContract => ({
  contract: jsonAt(row, 'contract'),
  digest: asId<Digest>(textAt(row, 'digest')),
});
