import type { Owner, Principal } from '@touchstone/protocol';
import { type ChainRange, type ChainResult, createChainCheck } from '../../evidence/index.js';
import type { Audit, Clock, KeptCheckpoint, Store } from '../../ports/index.js';
import type { KnownKey, Roles } from '../principal.js';
import { type CheckpointVerdict, saysTheSame } from './checkpoints.js';

/**
 * What is known of a principal without its key in hand: the roles of every key that is still good. `within` leaves only
 * those among them: a link does no more than the key that made it could.
 */
export type Directory = (
  owner: Owner,
  principalId: string,
  within?: readonly string[],
) => Promise<Principal | undefined>;

export function createDirectory(parts: {
  readonly fixed: readonly KnownKey[];
  readonly stored: Pick<Store['keys'], 'list'>;
  readonly roles: Roles;
  readonly clock: Pick<Clock, 'now'>;
}): Directory {
  return async (owner, principalId, within) => {
    const stored = await parts.stored.list();
    const gone = new Set(
      stored.filter(({ revokedAt }) => revokedAt !== undefined).map(({ keyHash }) => keyHash),
    );
    const now = parts.clock.now();
    const keys = [...parts.fixed, ...stored].filter(
      (key) =>
        key.principal === principalId &&
        key.owner.tenant === owner.tenant &&
        key.owner.workspace === owner.workspace &&
        !gone.has(key.keyHash) &&
        (key.expiresAt === undefined || key.expiresAt > now),
    );
    if (keys.length === 0) return undefined;
    const all = [...new Set(keys.flatMap((key) => key.roles))];
    const roles = within ? all.filter((role) => within.includes(role)) : all;
    return {
      id: principalId,
      owner,
      roles,
      scopes: new Set(roles.flatMap((role) => parts.roles[role] ?? [])),
    };
  };
}

export type AuditVerdict = ChainResult & {
  readonly valid: boolean;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly chainValid: boolean;
  readonly checkpoints: readonly CheckpointVerdict[];
};

const PAGE = 1_000;

/**
 * Reads a chain from its first record to its last and holds each against the one before. The protocol's members tell of
 * the range; ours, which a kept head is compared with, of the whole chain.
 */
export async function verifyAudit(
  audit: Pick<Audit, 'read' | 'checkpoints'>,
  owner: Owner,
  range: ChainRange = {},
): Promise<AuditVerdict> {
  const check = createChainCheck(owner, range);
  const kept = await allCheckpoints(audit, owner);
  const heads = new Map(kept.map(({ seq }) => [seq, '']));
  let last = 0;
  for (let page = await audit.read(owner, 0, PAGE); page.length > 0; ) {
    for (const record of page) {
      check.add(record);
      if (heads.has(record.seq)) heads.set(record.seq, record.digest);
    }
    last = page.at(-1)?.seq ?? last;
    page = await audit.read(owner, last, PAGE);
  }
  const result = check.result();
  const { fromSeq = 0, toSeq = Math.max(last, fromSeq) } = range;
  const checkpoints = kept.map(
    (one): CheckpointVerdict => ({
      seq: one.seq,
      keyId: one.keyId,
      head: one.head,
      at: one.at,
      holds: heads.get(one.seq) === one.head && saysTheSame(owner, one),
    }),
  );
  const inRange = checkpoints.filter(
    ({ seq }) => seq >= fromSeq && (range.toSeq === undefined || seq <= toSeq),
  );
  const chainValid = result.anomalies.length === 0 && inRange.every(({ holds }) => holds);
  const valid = result.trouble === undefined && checkpoints.every(({ holds }) => holds);
  return { valid, ...result, fromSeq, toSeq, chainValid, checkpoints: inRange };
}

async function allCheckpoints(
  audit: Pick<Audit, 'checkpoints'>,
  owner: Owner,
): Promise<readonly KeptCheckpoint[]> {
  const all: KeptCheckpoint[] = [];
  for (let from = 0; ; ) {
    const page = await audit.checkpoints(owner, from, PAGE);
    all.push(...page);
    if (page.length < PAGE) return all;
    from = (page.at(-1)?.seq ?? 0) + 1;
  }
}
