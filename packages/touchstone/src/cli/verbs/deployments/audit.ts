import type { Owner } from '@touchstone/protocol';
import type { AuditEntry, Client } from '@touchstone/sdk';
import { type Context, type ExitCode, lookOf, roomOf, UsageError, writeJson, writeLine } from '../../io.js';
import { auditTable, type Chain, type Expected, renderChains } from '../../render/deployments/audit.js';
import { commandToType, localClient, type Session, type Where, withSession } from '../../session.js';

type VerifyAuditOptions = Where & { readonly expect?: readonly string[] };
type ListAuditOptions = Where & { readonly limit: number };

type Head = Pick<Expected, 'records' | 'head'>;

/** Verifies that the audit log is complete and unchanged. */
export async function verifyAuditCommand(context: Context, options: VerifyAuditOptions): Promise<ExitCode> {
  const { io, settings } = context;
  const heads = (options.expect ?? []).map(readHead);
  const { chains, expected } = await withSession(context, options, 'look', (session) =>
    verify(session, heads),
  );
  const valid = chains.every((chain) => chain.valid) && expected.every(({ found }) => found);
  const exitCode = valid ? 0 : 1;
  if (settings.json) writeJson(io, { valid, exitCode, chains, expected });
  else {
    const look = lookOf(context);
    const toType = (words: string): string => commandToType(context, words, options);
    io.stdout.write(renderChains(chains, expected, toType, look));
  }
  return exitCode;
}

const HEAD = /^(\d{1,15}):(?:sha256:)?([0-9a-f]{64})$/;

function readHead(text: string): Head {
  const [, records, digest] = HEAD.exec(text.trim()) ?? [];
  if (records !== undefined) return { records: Number(records), head: `sha256:${digest}` };
  throw new UsageError(
    '--expect is the number of records and the head, with a colon between them.',
    'As "touchstone audit verify" prints it: 12:sha256:<64 hex digits>',
  );
}

type Verification = { readonly chains: readonly Chain[]; readonly expected: readonly Expected[] };

/** Whose audit logs a command looks at: in process those of every owner of the store, elsewhere the key's own. */
async function logsOf({ client, local }: Session): Promise<readonly { client: Client; owner?: Owner }[]> {
  if (!local) return [{ client }];
  const owners = await local.touchstone.auditOwners();
  const { principal } = local;
  return Promise.all(
    owners.map(async (owner) => ({ owner, client: await localClient(local, { ...principal, owner }) })),
  );
}

async function verify(session: Session, heads: readonly Head[]): Promise<Verification> {
  const logs = await logsOf(session);
  const chains: Chain[] = [];
  for (const { client, owner } of logs) chains.push({ ...owner, ...(await client.audit.verify()) });
  const digestsAt = (seq: number): Promise<readonly (string | undefined)[]> =>
    Promise.all(
      logs.map(async ({ client }) => {
        const { items } = await client.audit.list({ cursor: String(seq - 1), limit: 1 });
        return items[0]?.digest;
      }),
    );
  return { chains, expected: await lookFor(heads, digestsAt) };
}

/** A digest covers its owner and all that was before, so it can stand at one place of one chain only. */
async function lookFor(
  heads: readonly Head[],
  digestsAt: (seq: number) => Promise<readonly (string | undefined)[]>,
): Promise<readonly Expected[]> {
  const looked: Expected[] = [];
  for (const { records, head } of heads)
    looked.push({ records, head, found: records === 0 || (await digestsAt(records)).includes(head) });
  return looked;
}

/** Lists the audit log, newest first. */
export async function listAuditCommand(context: Context, options: ListAuditOptions): Promise<ExitCode> {
  const { io, settings } = context;
  const { limit } = options;
  const items = await withSession(context, options, 'look', (session) => list(session, limit));
  if (settings.json) writeJson(io, { items });
  else if (items.length === 0) writeLine(io.stdout, 'The audit log is empty.');
  else {
    const size = { columns: io.stdout.columns, room: roomOf(io.stdout) };
    writeLine(io.stdout, auditTable(items, lookOf(context).ink, size));
  }
  return 0;
}

type ListedEntry = AuditEntry & { readonly owner?: Owner };

async function list(session: Session, limit: number): Promise<readonly ListedEntry[]> {
  const listed: ListedEntry[] = [];
  for (const { client, owner } of await logsOf(session))
    for (const entry of await newest(client, limit)) listed.push({ ...entry, ...(owner && { owner }) });
  return listed.sort((a, b) => (a.at === b.at ? b.seq - a.seq : a.at < b.at ? 1 : -1)).slice(0, limit);
}

const PAGE = 1_000;

async function newest(client: Client, limit: number): Promise<readonly AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (let cursor: string | undefined; entries.length < limit; ) {
    const most = Math.min(PAGE, limit - entries.length);
    const page = await client.audit.list({ order: 'desc', limit: most, ...(cursor && { cursor }) });
    entries.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return entries;
}
