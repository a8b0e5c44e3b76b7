import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type AuditCheckpoint, HostError, isHostError, type Owner } from '@touchstone/protocol';
import type { AuditEntry, Client } from '@touchstone/sdk';
import { namedBySignature, openCheckpoint } from '../../../app/index.js';
import { placeFile, readText } from '../../files/local-files.js';
import { type Context, type ExitCode, roomOf, UsageError, writeResult } from '../../io.js';
import { auditTable, type Chain, type Expected, renderChains } from '../../render/deployments/audit.js';
import { commandToType, localClient, type Session, type Where, withSession } from '../../session.js';
import { type Keys, trustedKeys } from '../runs/evidence-keys.js';

type VerifyAuditOptions = Where & {
  readonly expect?: readonly string[];
  /** Files of checkpoints that were kept from earlier. */
  readonly checkpoint?: readonly string[];
  readonly key?: readonly string[];
};
type ListAuditOptions = Where & { readonly limit: number };

type Head = Pick<Expected, 'records' | 'head'>;

/** Verifies that the audit log is complete and unchanged. */
export async function verifyAuditCommand(context: Context, options: VerifyAuditOptions): Promise<ExitCode> {
  const signed = await readCheckpoints(context, options);
  const heads = [...(options.expect ?? []).map(readHead), ...signed];
  const { chains, expected } = await withSession(context, options, 'look', (session) =>
    verify(session, heads),
  );
  const valid = chains.every((chain) => chain.valid) && expected.every(({ found }) => found);
  const exitCode = valid ? 0 : 1;
  const toType = (words: string): string => commandToType(context, words, options);
  const document = { valid, exitCode, chains, expected };
  writeResult(context, document, (look) => renderChains(chains, expected, toType, look));
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

type AuditLog = { readonly client: Client; readonly owner?: Owner };

/** Whose audit logs a command looks at: in process those of every owner of the store, elsewhere the key's own. */
async function logsOf({ client, local }: Session): Promise<readonly AuditLog[]> {
  if (!local) return [{ client }];
  const owners = await local.touchstone.auditOwners();
  const { principal } = local;
  return Promise.all(
    owners.map(async (owner) => ({ owner, client: await localClient(local, { ...principal, owner }) })),
  );
}

async function verified(logs: readonly AuditLog[]): Promise<readonly Chain[]> {
  const chains: Chain[] = [];
  for (const { client, owner } of logs) chains.push({ ...owner, ...(await client.audit.verify()) });
  return chains;
}

export const verifyChains = async (session: Session): Promise<readonly Chain[]> =>
  verified(await logsOf(session));

async function verify(
  session: Session,
  heads: readonly Head[],
): Promise<{ chains: readonly Chain[]; expected: Expected[] }> {
  const logs = await logsOf(session);
  const chains = await verified(logs);
  const expected: Expected[] = [];
  for (const { records, head } of heads)
    expected.push({ records, head, found: records === 0 || (await digestsAt(logs, records)).includes(head) });
  return { chains, expected };
}

/** A digest covers its owner and all that was before, so it can stand at one place of one chain only. */
const digestsAt = (logs: readonly AuditLog[], seq: number): Promise<readonly (string | undefined)[]> =>
  Promise.all(
    logs.map(async ({ client }) => {
      const { items } = await client.audit.list({ cursor: String(seq - 1), limit: 1 });
      return items[0]?.digest;
    }),
  );

/** The heads of checkpoint files, once their signatures have been checked. */
async function readCheckpoints(
  context: Context,
  { checkpoint = [], key = [] }: VerifyAuditOptions,
): Promise<readonly Head[]> {
  if (checkpoint.length === 0) return [];
  const keys = await trustedKeys(context, key);
  return checkpoint.map((file) => readCheckpoint(file, context.io.cwd, keys));
}

/** Several files may be given: what is wrong is told with the name of its file. */
function openNamed(text: string, file: string, keys: Parameters<typeof openCheckpoint>[1]) {
  try {
    return openCheckpoint(text, keys);
  } catch (error) {
    if (!isHostError(error)) throw error;
    throw new HostError(error.code, `${file}: ${error.message}`, { ...error.details, file }, error);
  }
}

function readCheckpoint(file: string, cwd: string, { known, given }: Keys): Head {
  const path = resolve(cwd, file);
  if (!existsSync(path)) throw new UsageError(`There is no checkpoint ${file}.`);
  const text = readText(path, file);
  const named = namedBySignature(
    text,
    given.map(({ publicKey }) => publicKey),
  );
  const { predicate, signers, keyIds } = openNamed(text, file, [...known, ...named]);
  if (signers.length === 0)
    throw new UsageError(
      `${file} bears no signature of a key that is trusted here; it names ${keyIds.join(', ') || 'no key'}.`,
      'Give the public key of the host with --key, or add it to "trust.keys" of the configuration.',
    );
  return { records: predicate.records, head: predicate.head };
}

type CheckpointOptions = Where & { readonly out?: string };

/** Has the host sign the heads of its audit logs, and writes the signatures where they are to be kept. */
export async function checkpointAuditCommand(
  context: Context,
  { out, ...where }: CheckpointOptions,
): Promise<ExitCode> {
  const made = await withSession(context, where, 'look', async (session) => {
    const logs = await logsOf(session);
    return Promise.all(
      logs.map(async ({ client, owner }) => ({ ...owner, ...(await client.audit.checkpoint()) })),
    );
  });
  if (made.length === 0)
    throw new UsageError(
      'The audit log is empty: there is nothing to sign yet.',
      'It grows with the first decision.',
    );
  const checkpoints = made.map((one) => ({
    ...one,
    ...(out !== undefined && { file: join(out, fileOf(one)) }),
  }));
  for (const { file, envelope } of checkpoints)
    if (file !== undefined)
      placeFile(resolve(context.io.cwd, file), `${JSON.stringify(envelope, null, 2)}\n`, true);
  writeResult(context, { checkpoints }, ({ ink }) =>
    checkpoints
      .map(
        ({ seq, head, keyId, file }) =>
          `  ${ink.green('✓')} ${seq} records, signed by ${keyId}\n    ${ink.dim('head')}  ${head}\n${file === undefined ? '' : `    ${ink.dim('file')}  ${file}\n`}`,
      )
      .join(''),
  );
  return 0;
}

const fileOf = ({ envelope, seq }: AuditCheckpoint): string => {
  const { predicate } = openCheckpoint(JSON.stringify(envelope), []);
  const { tenant, workspace } = predicate.owner;
  return `audit-${[tenant, workspace].map((name) => name.replaceAll(/[^A-Za-z0-9._-]/g, '-')).join('-')}-${seq}.checkpoint.json`;
};

/** Lists the audit log, newest first. */
export async function listAuditCommand(context: Context, options: ListAuditOptions): Promise<ExitCode> {
  const { stdout } = context.io;
  const { limit } = options;
  const items = await withSession(context, options, 'look', (session) => list(session, limit));
  const size = { columns: stdout.columns, room: roomOf(stdout) };
  writeResult(context, { items }, ({ ink }) =>
    items.length === 0 ? 'The audit log is empty.\n' : `${auditTable(items, ink, size)}\n`,
  );
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

/** An older host does not know `order`, and begins with its first record. */
const isOldestFirst = ([first, second]: readonly AuditEntry[]): boolean =>
  first !== undefined && (second === undefined ? first.seq === 1 : first.seq < second.seq);

/** Reads all of a log to come to its end. */
async function newestOfAll(client: Client, limit: number): Promise<readonly AuditEntry[]> {
  let last: readonly AuditEntry[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.audit.list({ limit: PAGE, ...(cursor && { cursor }) });
    last = [...last, ...page.items].slice(-limit);
    cursor = page.nextCursor;
    if (cursor === undefined) return last.toReversed();
  }
}

async function newest(client: Client, limit: number): Promise<readonly AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (let cursor: string | undefined; entries.length < limit; ) {
    const most = Math.min(PAGE, limit - entries.length);
    const page = await client.audit.list({ order: 'desc', limit: most, ...(cursor && { cursor }) });
    if (cursor === undefined && isOldestFirst(page.items)) return newestOfAll(client, limit);
    entries.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return entries;
}
