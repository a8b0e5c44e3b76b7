import type { Owner } from '@touchstone/protocol';
import type { AuditEntry, AuditVerdict, Client } from '@touchstone/sdk';
import type { ExitCode } from '../../exit.js';
import { type Context, isColoured, roomOf, writeJson, writeLine } from '../../io.js';
import { type Local, readStore } from '../../local.js';
import { commandToType } from '../../next-commands.js';
import { auditTable, type Chain, type Expected, renderChains } from '../../render/deployments/audit.js';
import { createInk } from '../../render/ink.js';
import { checkHost, openClient } from '../../session.js';
import { UsageError } from '../../usage-error.js';
import { type Where, whereWords } from './deploy-door.js';

export type VerifyAuditOptions = Where & { readonly expect?: readonly string[] };
export type ListAuditOptions = Where & { readonly limit: number };

type Head = Pick<Expected, 'records' | 'head'>;

/** Whether the records of who was let do what are all there and as they were written. */
export async function verifyAuditCommand(context: Context, options: VerifyAuditOptions): Promise<ExitCode> {
  const { io, settings } = context;
  const heads = (options.expect ?? []).map(readHead);
  const { chains, expected } = await (options.host === undefined
    ? verifyHere(context, heads)
    : verifyThere(await clientOf(context, options), heads));
  const valid = chains.every((chain) => chain.valid) && expected.every(({ found }) => found);
  const exitCode = valid ? 0 : 1;
  if (settings.json) writeJson(io, { valid, exitCode, chains, expected });
  else {
    const look = { ink: createInk(isColoured(context, io.stdout)), width: io.stdout.columns };
    const toType = (words: string): string =>
      commandToType(context, [words, ...whereWords(options)].join(' '));
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

async function clientOf(context: Context, { host = '', keyEnv }: Where): Promise<Client> {
  checkHost(host);
  return openClient(context, host, keyEnv);
}

type Verified = { readonly chains: readonly Chain[]; readonly expected: readonly Expected[] };

/** Everyone who has a chain in this store: whoever sits at the machine answers for all of it. */
const verifyHere = (context: Context, heads: readonly Head[]): Promise<Verified> =>
  readStore(
    context,
    async ({ touchstone: { store } }: Local) => {
      const { verifyAudit } = await import('../../../app/index.js');
      const owners = await store.audit.owners();
      const chains: Chain[] = [];
      for (const owner of owners) chains.push({ ...owner, ...(await verifyAudit(store.audit, owner)) });
      const digestsAt = (seq: number): Promise<readonly (string | undefined)[]> =>
        Promise.all(owners.map(async (owner) => (await store.audit.read(owner, seq - 1, 1))[0]?.digest));
      return { chains, expected: await lookFor(heads, digestsAt) };
    },
    () => ({ chains: [], expected: heads.map((head) => ({ ...head, found: false })) }),
  );

async function verifyThere(client: Client, heads: readonly Head[]): Promise<Verified> {
  const verdict: AuditVerdict = await client.audit.verify();
  const digestsAt = async (seq: number): Promise<readonly (string | undefined)[]> => {
    const { items } = await client.audit.list({ cursor: String(seq - 1), limit: 1 });
    return [items[0]?.digest];
  };
  return { chains: [verdict], expected: await lookFor(heads, digestsAt) };
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

/** Who asked for what, and was let or not; newest first. */
export async function listAuditCommand(context: Context, options: ListAuditOptions): Promise<ExitCode> {
  const { io, settings } = context;
  const { limit } = options;
  const items = await (options.host === undefined
    ? listHere(context, limit)
    : listThere(await clientOf(context, options), limit));
  if (settings.json) writeJson(io, { items });
  else if (items.length === 0) writeLine(io.stdout, 'The audit log is empty.');
  else {
    const size = { columns: io.stdout.columns, room: roomOf(io.stdout) };
    writeLine(io.stdout, auditTable(items, createInk(isColoured(context, io.stdout)), size));
  }
  return 0;
}

type Listed = AuditEntry & { readonly owner?: Owner };

const listHere = (context: Context, limit: number): Promise<readonly Listed[]> =>
  readStore(
    context,
    async ({ touchstone: { store } }: Local) => {
      const listed: Listed[] = [];
      for (const owner of await store.audit.owners()) {
        const last = (await store.audit.last(owner))?.seq ?? 0;
        const newest = await store.audit.read(owner, Math.max(0, last - limit), limit);
        for (const { at, ...record } of newest)
          listed.push({ ...record, at: new Date(at).toISOString(), owner });
      }
      return listed.sort((a, b) => (a.at === b.at ? b.seq - a.seq : a.at < b.at ? 1 : -1)).slice(0, limit);
    },
    () => [],
  );

const PAGE = 1_000;

/** A host hands its log out from the beginning, so the end of it is reached by reading on. */
async function listThere(client: Client, limit: number): Promise<readonly Listed[]> {
  let newest: readonly Listed[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.audit.list({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    newest = [...newest, ...page.items].slice(-limit);
    cursor = page.nextCursor;
    if (cursor === undefined) return newest.toReversed();
  }
}
