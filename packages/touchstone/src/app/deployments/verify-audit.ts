import type { Owner } from '@touchstone/protocol';
import { type ChainResult, createChainCheck } from '../../evidence/index.js';
import type { Audit } from '../../ports/index.js';

export type AuditVerdict = ChainResult & { readonly valid: boolean };

const PAGE = 1_000;

/** Reads a chain from its first record to its last and holds each against the one before. */
export async function verifyAudit(audit: Pick<Audit, 'read'>, owner: Owner): Promise<AuditVerdict> {
  const check = createChainCheck(owner);
  for (let page = await audit.read(owner, 0, PAGE); page.length > 0; ) {
    for (const record of page) check.add(record);
    page = await audit.read(owner, page.at(-1)?.seq ?? 0, PAGE);
  }
  const result = check.result();
  return { valid: result.trouble === undefined, ...result };
}
