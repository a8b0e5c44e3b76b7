import { HostResponseError, type PackInstallation } from '@touchstone/sdk';
import { packOptions } from '../../../app/index.js';
import { archiveOf, authorOptions, openPackBytes, packPath, readPackBytes } from '../../files/pack-files.js';
import { type Context, type ExitCode, lookOf, UsageError, writeJson } from '../../io.js';
import { type Row, renderPack } from '../../render/pack.js';
import { type Session, type Where, withSession } from '../../session.js';

/** Installs a pack in the local store, or on another host. A folder is installed as the archive of it. */
export async function installPackCommand(
  context: Context,
  argument: string,
  options: Where,
): Promise<ExitCode> {
  const path = packPath(argument, context.io.cwd);
  const installed = await withSession(context, options, 'work', async (session) =>
    install(context, session, path).catch((error: unknown) => explainConflict(error, argument, session)),
  );
  const document = {
    ...installed,
    agents: installed.agents.map(({ agentId, version }) => `${agentId}@${version}`),
    suites: installed.suites.map(({ suiteRef }) => suiteRef),
  };
  if (context.settings.json) writeJson(context.io, document);
  else tell(context, document, options.host);
  return 0;
}

async function install(
  context: Context,
  { client, local }: Session,
  path: string,
): Promise<PackInstallation> {
  // Another host has capabilities of its own.
  const options = local ? packOptions(local.config) : await authorOptions(context);
  const archive = await archiveOf(await readPackBytes(path), options);
  const { name, version, integrity } = await openPackBytes(archive, options);
  return client.packs.install(archive, { name, version, integrity });
}

/** A pack that was run from its folder is in the store too, in the state it was run in. */
function explainConflict(error: unknown, argument: string, { local }: Session): never {
  if (!local || !(error instanceof HostResponseError) || error.code !== 'conflict') throw error;
  throw new UsageError(
    error.message,
    `Raise "version" in pack.json. To use it as it is now: touchstone run ${argument}`,
    'conflict',
  );
}

type Document = Omit<PackInstallation, 'agents' | 'suites'> & {
  readonly agents: readonly string[];
  readonly suites: readonly string[];
};

function tell(context: Context, installed: Document, host: string | undefined): void {
  const { stdout } = context.io;
  const where = host === undefined ? '' : ` on ${new URL(host).origin}`;
  const title =
    installed.outcome === 'same'
      ? `${installed.name}@${installed.version} was installed before`
      : `Installed ${installed.name}@${installed.version}${where}`;
  const rows: readonly Row[] = [
    ['integrity', installed.integrity],
    ...installed.agents.map((agent): Row => ['agent', agent]),
    ...installed.suites.map((suite): Row => ['suite', suite]),
    ['signed by', installed.signedBy ?? 'nobody who is trusted here'],
  ];
  const ink = lookOf(context).ink;
  stdout.write(renderPack(title, rows, installed.warnings, ink));
}
