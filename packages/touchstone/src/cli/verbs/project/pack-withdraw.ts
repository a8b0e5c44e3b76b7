import type { Client } from '@touchstone/sdk';
import { type Context, type ExitCode, UsageError, writeResult } from '../../io.js';
import { type Row, renderPack } from '../../render/pack.js';
import { shell } from '../../render/shell.js';
import { commandToType, type Where, withSession } from '../../session.js';

type PackVersion = { readonly name: string; readonly version: string };

/** Removes an installed pack, here or on another host. */
export async function removePackCommand(
  context: Context,
  argument: string,
  options: Where,
): Promise<ExitCode> {
  const { name, version } = versionOf(argument);
  const removed = await withPacks(context, options, (packs) => packs.remove(name, version));
  const rows: readonly Row[] = [
    ['digest', removed.digest],
    ...removed.agents.map((agent): Row => ['agent', `${agent}, no longer here`]),
    ['runs', 'stay, with their results'],
  ];
  writeResult(context, removed, ({ ink }) =>
    renderPack(`Removed ${name}@${version}${placeOf(options)}`, rows, [], ink),
  );
  return 0;
}

type RevokeFlags = Where & { readonly reason?: string };

/** Revokes a version of a pack, installed or not, here or on another host. */
export async function revokePackCommand(
  context: Context,
  argument: string,
  options: RevokeFlags,
): Promise<ExitCode> {
  const { name, version } = versionOf(argument);
  const { reason } = options;
  const revoked = await withPacks(context, options, (packs) =>
    packs.revoke(name, version, reason === undefined ? {} : { reason }),
  );
  const rows: readonly Row[] = [
    ['installed', revoked.installed ? 'yes; it stays, and starts no new run' : 'no'],
  ];
  const warnings = revoked.serving.map(
    (agent) =>
      `${agent.agentId}@${agent.version} is ${agent.state}, and runs on its channels are refused now. Put another version there: ${commandToType(context, shell`deployments ${agent.agentId}`, options)}`,
  );
  writeResult(context, revoked, ({ ink }) =>
    renderPack(`Revoked ${name}@${version}${placeOf(options)}`, rows, warnings, ink),
  );
  return 0;
}

const withPacks = <T>(
  context: Context,
  options: Where,
  call: (packs: Client['packs']) => Promise<T>,
): Promise<T> => withSession(context, options, 'work', ({ client }) => call(client.packs));

const placeOf = ({ host }: Where): string => (host === undefined ? '' : ` on ${new URL(host).origin}`);

/** Exactly one version: what is taken away by mistake is missed. */
function versionOf(argument: string): PackVersion {
  const [name, version, ...rest] = argument.split('@');
  if (name && version && rest.length === 0) return { name, version };
  throw new UsageError(
    `Expected a pack with its version, such as vendor.acme.support@1.0.0, got "${argument}".`,
    'A version is removed or revoked by itself: name it behind an @.',
  );
}
