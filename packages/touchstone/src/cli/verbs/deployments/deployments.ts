import type { ExitCode } from '../../exit.js';
import { type Context, isColoured, roomOf, writeJson, writeLine } from '../../io.js';
import { deploymentsTable } from '../../render/deployments/deployment.js';
import { createInk } from '../../render/text.js';
import { type Where, withSession } from '../../session.js';
import { readReference } from './promote-options.js';
import { findVersion, recordsOf } from './promotion.js';

/** Which versions of an agent there are, and which of them serve. */
export async function deploymentsCommand(
  context: Context,
  argument: string,
  where: Where,
): Promise<ExitCode> {
  const { io, settings } = context;
  const { agentId, version } = readReference(argument);
  const all = await withSession(context, where, 'files', ({ client }) => recordsOf(client, agentId));
  const items = version === undefined ? all : [findVersion(all, { agentId, version })];
  if (settings.json) writeJson(io, { agentId, items });
  else {
    const size = { columns: io.stdout.columns, room: roomOf(io.stdout) };
    const ink = createInk(isColoured(context, io.stdout));
    writeLine(io.stdout, deploymentsTable(items, all, ink, size));
  }
  return 0;
}
