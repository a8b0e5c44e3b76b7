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
  /** Every break in the range, not only the first; at most a thousand. */
  readonly anomalies: readonly ChainAnomaly[];
};

/** A break, as the protocol tells it: two hashes that should be equal, as hex. */
export type ChainAnomaly = {
  /** The record that does not hold. */
  readonly atSeq: number;
  readonly expectedPrevHash: string;
  readonly actualPrevHash: string;
};

/** Past so many breaks a chain has been rewritten, and the list of them tells no more. */
const MAX_ANOMALIES = 1_000;

/** Where breaks are looked for; everywhere where a bound is missing. */
export type ChainRange = { readonly fromSeq?: number | undefined; readonly toSeq?: number | undefined };

type ChainCheck = { add(record: AuditRecord): void; result(): ChainResult };

/** Follows one owner's records from the first on, in order, and keeps none of them. */
export function createChainCheck(
  owner: Owner,
  { fromSeq = 0, toSeq = Number.POSITIVE_INFINITY }: ChainRange = {},
): ChainCheck {
  let [records, head] = [0, AUDIT_START];
  let before = AUDIT_START;
  let trouble: ChainTrouble | undefined;
  const anomalies: ChainAnomaly[] = [];
  const compare = (atSeq: number, expected: string, actual: string): void => {
    const isWanted = atSeq >= fromSeq && atSeq <= toSeq && anomalies.length < MAX_ANOMALIES;
    if (expected === actual || !isWanted) return;
    anomalies.push({ atSeq, expectedPrevHash: hexOf(expected), actualPrevHash: hexOf(actual) });
  };
  return {
    add(record) {
      const { seq, previous, digest } = record;
      const computed = digestOf(auditLine(owner, seq, previous, record));
      compare(seq, before, previous);
      compare(seq, computed, digest);
      before = digest;
      if (trouble) return;
      const why = troubleWith(record, records + 1, head, computed);
      if (why) trouble = { seq, why };
      else [records, head] = [records + 1, digest];
    },
    result: () => ({ records, head, ...(trouble && { trouble }), anomalies }),
  };
}

function troubleWith(
  record: AuditRecord,
  seq: number,
  head: string,
  computed: string,
): ChainTrouble['why'] | undefined {
  if (record.seq !== seq) return 'gap';
  if (record.previous !== head) return 'previous';
  return record.digest === computed ? undefined : 'digest';
}

const hexOf = (digest: string): string => digest.replace(/^sha256:/, '');

const digestOf = (line: string): string => `sha256:${createHash('sha256').update(line).digest('hex')}`;
