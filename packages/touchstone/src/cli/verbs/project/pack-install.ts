import { isHostError } from '@touchstone/protocol';
import type { ExitCode } from '../../exit.js';
import { archiveOf, packPath, readPackBytes } from '../../files/pack-files.js';
import { type Context, isColoured, writeJson } from '../../io.js';
import { LOCAL_OWNER, withLocal } from '../../local.js';
import { createInk } from '../../render/ink.js';
import { type Row, renderPack } from '../../render/pack.js';
import { checkHost } from '../../session.js';
import { UsageError } from '../../usage-error.js';

export type InstallOptions = { readonly host?: string; readonly keyEnv?: string };

type Installed = {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly digest: string;
  readonly signedBy?: string;
  readonly filesSigned: boolean;
  readonly agents: readonly string[];
  readonly suites: readonly string[];
  readonly warnings: readonly string[];
  /** Whether it was there before, where that is told. */
  readonly outcome?: 'created' | 'same';
};

/** Installs a pack in the local store, or on another host. A folder is installed as the archive of it. */
export async function installPackCommand(
  context: Context,
  argument: string,
  options: InstallOptions,
): Promise<ExitCode> {
  const path = packPath(argument, context.io.cwd);
  if (options.host !== undefined) checkHost(options.host);
  const installed =
    options.host === undefined
      ? await installHere(context, path, argument)
      : await installThere(context, path, options.host, options.keyEnv);
  if (context.settings.json) writeJson(context.io, installed);
  else tell(context, installed, options.host);
  return 0;
}

async function installHere(context: Context, path: string, argument: string): Promise<Installed> {
  const { packOptions } = await import('../../../app/index.js');
  return withLocal(context, async ({ touchstone, config }) => {
    const archive = await archiveOf(await readPackBytes(path), packOptions(config));
    const { head, agents, suites, warnings, outcome } = await touchstone
      .installPack(LOCAL_OWNER, archive)
      .catch((error: unknown) => explainConflict(error, argument));
    return {
      ...head,
      agents: agents.map(({ agentId, version }) => `${agentId}@${version}`),
      suites: suites.map(({ head: suite }) => `${suite.suiteId}@${suite.version}`),
      warnings,
      outcome,
    };
  });
}

/** A pack that was run from its folder is in the store too, in the state it was run in. */
function explainConflict(error: unknown, argument: string): never {
  if (!isHostError(error) || error.code !== 'conflict') throw error;
  throw new UsageError(
    error.message,
    `Raise "version" in pack.json. To use it as it is now: touchstone run ${argument}`,
    'conflict',
  );
}

async function installThere(
  context: Context,
  path: string,
  host: string,
  keyEnv: string | undefined,
): Promise<Installed> {
  const { sendPack } = await import('../../files/remote-pack.js');
  const { openClient } = await import('../../session.js');
  const { installed } = await sendPack(context, openClient(context, host, keyEnv), path);
  return {
    ...installed,
    agents: installed.agents.map(({ agentId, version }) => `${agentId}@${version}`),
    suites: installed.suites.map(({ suiteRef }) => suiteRef),
  };
}

function tell(context: Context, installed: Installed, host: string | undefined): void {
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
  const ink = createInk(isColoured(context, stdout));
  stdout.write(renderPack(title, rows, installed.warnings, ink));
}
