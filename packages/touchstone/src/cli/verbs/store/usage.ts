import { usd } from '@touchstone/sdk/view';
import { type Context, type ExitCode, writeResult } from '../../io.js';
import { bytesText } from '../../render/pruned.js';
import { renderTable } from '../../render/table.js';

import { type Where, withSession } from '../../session.js';

const HEADS = ['tenant', 'runs', 'unfinished', 'cost', 'size', 'oldest', 'newest'];

/** Lists what each tenant has in a store: numbers alone. */
export async function usageCommand(context: Context, where: Where): Promise<ExitCode> {
  const { items } = await withSession(context, where, 'look', ({ client }) => client.usage());
  const rows = items.map((row) => [
    `${row.tenant}/${row.workspace}`,
    String(row.runs),
    String(row.unfinished),
    usd(row.costUsd) + (row.unpricedCalls > 0 ? ` + ${row.unpricedCalls} unpriced calls` : ''),
    bytesText(row.bytes),
    row.oldestAt.slice(0, 10),
    row.newestAt.slice(0, 10),
  ]);
  writeResult(context, { items }, ({ ink }) =>
    items.length === 0 ? 'No tenant has a run here.\n' : `${renderTable(HEADS, rows, ink)}\n`,
  );
  return 0;
}
