import { createHash } from 'node:crypto';
import { AUDIT_START, type AuditRecord, auditLine, type Owner } from '@touchstone/protocol';

type ChainTrouble = {
  readonly seq: number;
  /** `gap`: not the next number. `previous`: it follows another record. `digest`: it is not what was written. */
  readonly why: 'gap' | 'previous' | 'digest';
};

export type ChainResult = {
  /** How many records fit, up to the first that does not. */
  readonly records: number;
  /**
   * The digest of the last record that fits. A chain that has lost its newest records is still a chain: only someone
   * who has kept an earlier head, or the number of records, can tell.
   */
  readonly head: string;
  readonly trouble?: ChainTrouble;
};

type ChainCheck = { add(record: AuditRecord): void; result(): ChainResult };

/** Follows one owner's records from the first on, in order, and keeps none of them. */
export function createChainCheck(owner: Owner): ChainCheck {
  let [records, head] = [0, AUDIT_START];
  let trouble: ChainTrouble | undefined;
  return {
    add(record) {
      if (trouble) return;
      const why = troubleWith(owner, record, records + 1, head);
      if (why) trouble = { seq: record.seq, why };
      else [records, head] = [records + 1, record.digest];
    },
    result: () => ({ records, head, ...(trouble && { trouble }) }),
  };
}

function troubleWith(
  owner: Owner,
  record: AuditRecord,
  seq: number,
  head: string,
): ChainTrouble['why'] | undefined {
  if (record.seq !== seq) return 'gap';
  if (record.previous !== head) return 'previous';
  return record.digest === digestOf(auditLine(owner, seq, head, record)) ? undefined : 'digest';
}

const digestOf = (line: string): string => `sha256:${createHash('sha256').update(line).digest('hex')}`;
