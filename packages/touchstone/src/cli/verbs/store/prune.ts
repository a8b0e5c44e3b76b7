import { statSync } from 'node:fs';
import type { Owner, PrunedRuns, PruneRuns } from '@touchstone/protocol';
import type { Client } from '@touchstone/sdk';
import { spanMs } from '../../../app/index.js';
import { type Context, type ExitCode, UsageError, writeResult } from '../../io.js';
import { hasStore, readConfig, storeFile } from '../../local.js';
import { type PrunedOwner, renderPruned } from '../../render/pruned.js';
import { localClient, type Session, type Where, withSession } from '../../session.js';

type PruneOptions = Where & {
  readonly olderThan?: string;
  readonly keep?: number;
  readonly tenant?: string;
  readonly dryRun?: boolean;
  readonly bodiesOnly?: boolean;
};

/** Removes old runs, or their content. In process those of every tenant, on another host those of the key's own. */
export async function pruneCommand(context: Context, options: PruneOptions): Promise<ExitCode> {
  checkOptions(options);
  const { dryRun = false, bodiesOnly = false } = options;
  const before = await storeBytes(context, options);
  const owners = await withSession(context, options, 'look', (session) => pruneAll(session, options));
  const after = dryRun ? undefined : await storeBytes(context, options);
  const document = {
    dryRun,
    bodiesOnly,
    removed: owners.flatMap(({ removed }) => removed),
    kept: owners.flatMap(({ kept }) => kept),
    more: owners.some(({ more }) => more),
    ...(options.host === undefined && { owners }),
    ...(before !== undefined && after !== undefined && { storeBytes: { before, after } }),
  };
  writeResult(context, document, (look) => renderPruned({ ...document, owners }, look));
  return 0;
}

function checkOptions({ olderThan, keep, tenant, host }: PruneOptions): void {
  if (olderThan === undefined && keep === undefined)
    throw new UsageError(
      'Say which runs may go: --older-than, --keep or both.',
      'For example: touchstone prune --older-than 90d --dry-run',
    );
  if (olderThan !== undefined && spanMs(olderThan) === undefined)
    throw new UsageError('Expected a span of time such as 12h, 90d or 8w after --older-than.');
  if (tenant !== undefined && host !== undefined)
    throw new UsageError(
      '--tenant chooses among the tenants of this machine; a key acts for its own.',
      'Leave --tenant out, or leave --host out.',
    );
}

async function pruneAll({ client, local }: Session, options: PruneOptions): Promise<readonly PrunedOwner[]> {
  if (!local) return [await pruneOwner(client, options)];
  const { touchstone, principal } = local;
  const owners = (await touchstone.store.retention.owners()).filter(
    ({ tenant }) => options.tenant === undefined || tenant === options.tenant,
  );
  const pruned: PrunedOwner[] = [];
  for (const owner of owners)
    pruned.push(await pruneOwner(await localClient(local, { ...principal, owner }), options, owner));
  if (!options.dryRun) await clear(touchstone);
  return pruned;
}

/** Here nobody waits for a turn, so the rows go before the command ends, and the space goes back to the disk. */
async function clear({ retention, store }: NonNullable<Session['local']>['touchstone']): Promise<void> {
  await retention.sweep();
  await store.retention.rewrite();
}

async function pruneOwner(client: Client, options: PruneOptions, owner?: Owner): Promise<PrunedOwner> {
  const removed: PrunedRuns['removed'][number][] = [];
  let page = await client.runs.prune(requestOf(options));
  for (; page.more && !options.dryRun; page = await client.runs.prune(requestOf(options)))
    removed.push(...page.removed);
  return { ...owner, removed: [...removed, ...page.removed], kept: page.kept, more: page.more };
}

const requestOf = ({ olderThan, keep, dryRun, bodiesOnly }: PruneOptions): PruneRuns => ({
  ...(olderThan !== undefined && { olderThan }),
  ...(keep !== undefined && { keep }),
  ...(dryRun && { dryRun }),
  ...(bodiesOnly && { bodiesOnly }),
});

/** Of the store in this folder; undefined when it is elsewhere, or there is none. */
async function storeBytes(context: Context, { host }: Where): Promise<number | undefined> {
  if (host !== undefined || !(await hasStore(context))) return undefined;
  const file = storeFile(context, await readConfig(context));
  if (file === undefined) return undefined;
  const sizes = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}
