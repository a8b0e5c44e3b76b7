import { type Context, type ExitCode, writeResult } from '../../io.js';
import { renderTable } from '../../render/table.js';
import { type Where, withSession } from '../../session.js';

const HEADS = ['worker', 'release', 'environment', 'runs', 'last heard of'];
const DIGEST_START = /^sha256:([0-9a-f]{12}).*$/;

/** Lists the processes that take up runs of a store. */
export async function workersCommand(context: Context, where: Where): Promise<ExitCode> {
  const { items } = await withSession(context, where, 'look', ({ client }) => client.workers());
  const rows = items.map(({ name, version, environment, runsAtWork, lastBeatAt }) => [
    name,
    version,
    environment.replace(DIGEST_START, '$1'),
    String(runsAtWork),
    lastBeatAt,
  ]);
  writeResult(context, { items }, ({ ink }) =>
    items.length === 0 ? `${NONE}\n` : `${renderTable(HEADS, rows, ink)}\n`,
  );
  return 0;
}

const NONE = 'No process takes up runs of this store. Processes on a SQLite file do not tell of themselves.';
