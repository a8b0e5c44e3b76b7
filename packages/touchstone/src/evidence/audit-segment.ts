import { AUDIT_START, type AuditEntry, auditLine, type Owner } from '@touchstone/protocol';
import { sha256Hex } from './bundle.js';

// A stretch of an audit log as it travels: the very lines that the digests are of, one after the other.

type SegmentRecord = AuditEntry & { readonly seq: number; readonly previous: string };

export const segmentText = (owner: Owner, records: readonly SegmentRecord[]): string =>
  records.map((record) => `${auditLine(owner, record.seq, record.previous, record)}\n`).join('');

/** What is read of a line; the rest of it is covered by the digest. */
export type SegmentLine = {
  readonly owner: Owner;
  readonly seq: number;
  readonly previous: string;
  readonly action: string;
  readonly resource: string;
  readonly allowed: boolean;
  readonly runId?: string;
  readonly digest: string;
};

const MEMBERS = 11;

/** Undefined when a line is none, or does not follow the one before it. */
export function readSegment(text: string): readonly SegmentLine[] | undefined {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.length === 0) return undefined;
  const read: SegmentLine[] = [];
  for (const line of lines) {
    const record = readLine(line);
    const before = read.at(-1);
    const follows = !before || (record?.seq === before.seq + 1 && record.previous === before.digest);
    if (!record || !follows) return undefined;
    read.push(record);
  }
  const [first] = read;
  return first?.seq === 1 && first.previous !== AUDIT_START ? undefined : read;
}

function readLine(line: string): SegmentLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value) || value.length !== MEMBERS || JSON.stringify(value) !== line) return undefined;
  const [tenant, workspace, seq, previous, , , action, resource, allowed, , runId] = value as unknown[];
  const texts = [tenant, workspace, previous, action, resource];
  if (!texts.every((one) => typeof one === 'string') || typeof seq !== 'number') return undefined;
  return {
    owner: { tenant: String(tenant), workspace: String(workspace) },
    seq,
    previous: String(previous),
    action: String(action),
    resource: String(resource),
    allowed: allowed === true,
    ...(typeof runId === 'string' && { runId }),
    digest: `sha256:${sha256Hex(line)}`,
  };
}
