import { resolve } from 'node:path';
import { plural } from '@touchstone/sdk/view';
import { type Config, copyStore, createTouchstone, storeAddressOf, systemClock } from '../../../app/index.js';
import { createLog } from '../../../server/index.js';
import { displayPath } from '../../files/local-files.js';
import { type Context, type ExitCode, type Io, UsageError, writeResult } from '../../io.js';
import { hasStore, readConfig, storeFile, withTouchstone } from '../../local.js';
import { withSession } from '../../session.js';
import { verifyChains } from '../deployments/audit.js';

/**
 * Makes the tables of the configured store, or brings them to this release: opening a store does it. Where the configuration names
 * suites or packs, they come into the store as at the start of a host, for hosts with --no-prepare.
 */
export async function prepareStoreCommand(context: Context): Promise<ExitCode> {
  const config = await readConfig(context);
  if (config.suites.length + config.packs.length > 0) await prepareAsHost(context, config);
  else await withTouchstone(context, 'store', async () => undefined);
  writeResult(context, { prepared: true }, () => 'The store is prepared for this release.\n');
  return 0;
}

async function prepareAsHost({ io, settings }: Context, config: Config): Promise<void> {
  const dataDir = resolve(io.cwd, settings.data);
  const log = await createLog('warn');
  const role = { works: false, prepares: true };
  const touchstone = await createTouchstone({ config, dataDir, origin: 'host', role, log });
  await touchstone.close();
}

/** Holds everything that is kept against what it promises. */
export async function checkStoreCommand(context: Context): Promise<ExitCode> {
  await checkIsThere(context);
  const faults = await withSession(context, {}, 'asIs', async (session) => {
    const { store } = session.local?.touchstone ?? {};
    const found = [...((await store?.check()) ?? []), ...((await store?.checkLogs()) ?? [])];
    const broken = (await verifyChains(session)).filter(({ valid }) => !valid);
    return [
      ...found,
      ...broken.map(({ tenant, workspace }) => `The audit log of ${tenant}/${workspace} is broken.`),
    ];
  });
  const exitCode = faults.length === 0 ? 0 : 1;
  writeResult(context, { valid: exitCode === 0, exitCode, faults }, ({ ink }) =>
    faults.length === 0
      ? 'Every log is whole, and every audit log is unbroken.\n'
      : faults.map((fault) => `${ink.red('✗')} ${fault}\n`).join(''),
  );
  return exitCode;
}

/** An operator who names the wrong folder must not hear that all is well with it. */
async function checkIsThere(context: Context): Promise<void> {
  if (await hasStore(context)) return;
  const file = storeFile(context, await readConfig(context)) ?? '';
  throw new UsageError(
    `There is no store to check: ${displayPath(file, context.io.cwd)} is not there.`,
    'Name the folder that the runs were kept in with --data, or correct "store" in the configuration.',
  );
}

/** Copies one store into another, of the same kind or of the other. */
export async function copyStoreCommand(
  { io, settings }: Context,
  from: string,
  to: string,
): Promise<ExitCode> {
  const [source, target] = [addressIn(io, from), addressIn(io, to)];
  if (source === target) throw new UsageError('Both are the same store.', 'Name another one to copy to.');
  const tables = await copyStore(source, target, systemClock);
  const differing = tables.filter(({ isEqual }) => !isEqual);
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const exitCode = differing.length === 0 ? 0 : 1;
  writeResult({ io, settings }, { equal: exitCode === 0, exitCode, tables }, () =>
    exitCode === 0
      ? `${plural(rows, 'row')} of ${plural(tables.length, 'table')} are copied; both stores hold the same.\n`
      : `The stores differ in ${differing.map(({ table }) => table).join(', ')}. Copy again while nothing uses either.\n`,
  );
  return exitCode;
}

function addressIn(io: Io, written: string): string {
  const address = storeAddressOf(written, io.cwd, io.env);
  if (address !== undefined) return address;
  throw new UsageError(
    `${/^env:/.test(written) ? `${written.slice(4)} is not set, or` : 'What is to be copied'} is not the address of a store.`,
    'Expected sqlite:<file>, postgres://… or env:NAME.',
  );
}
