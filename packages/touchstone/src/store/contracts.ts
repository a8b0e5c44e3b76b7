import { asId, type Digest, type Owner } from '@touchstone/contract';
import type { PinnedContract } from '@touchstone/contract/bodies';
import type { Suites } from '@touchstone/contract/ports';
import type { Db, Row } from './db.js';
import { jsonAt, textAt } from './rows.js';

const INSERT = `INSERT INTO contracts (tenant, workspace, digest, contract) VALUES (?, ?, ?, ?)
  ON CONFLICT (tenant, workspace, digest) DO NOTHING`;
const ATTACH = `INSERT INTO suite_contracts (tenant, workspace, suite_digest, contract_digest, attached_at)
  VALUES (?, ?, ?, ?, ?) ON CONFLICT (tenant, workspace, suite_digest)
  DO UPDATE SET contract_digest = excluded.contract_digest, attached_at = excluded.attached_at`;
const BY_DIGEST = 'SELECT digest, contract FROM contracts WHERE tenant = ? AND workspace = ? AND digest = ?';
const BY_SUITE = `SELECT c.digest, c.contract FROM suite_contracts s JOIN contracts c
  ON c.tenant = s.tenant AND c.workspace = s.workspace AND c.digest = s.contract_digest
  WHERE s.tenant = ? AND s.workspace = ? AND s.suite_digest = ?`;

/** Contracts are kept like suites: once per digest, with a name that points to the latest. */
export function createContracts(db: Db): Pick<Suites, 'attach' | 'contractOf' | 'contract'> {
  const one = async (sql: string, owner: Owner, digest: Digest): Promise<PinnedContract | undefined> => {
    const [row] = await db.all(sql, [owner.tenant, owner.workspace, digest]);
    return row && toPinned(row);
  };
  return {
    async attach(owner, suite, { contract, digest }, at) {
      const key = [owner.tenant, owner.workspace];
      await db.transaction([
        { sql: INSERT, params: [...key, digest, JSON.stringify(contract)] },
        { sql: ATTACH, params: [...key, suite, digest, at] },
      ]);
    },
    contractOf: (owner, suite) => one(BY_SUITE, owner, suite),
    contract: (owner, digest) => one(BY_DIGEST, owner, digest),
  };
}

const toPinned = (row: Row): PinnedContract => ({
  contract: jsonAt(row, 'contract'),
  digest: asId<Digest>(textAt(row, 'digest')),
});
