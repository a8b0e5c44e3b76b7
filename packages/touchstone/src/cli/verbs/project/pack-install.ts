import { type HostError, isHostError } from '@touchstone/protocol';
import { HostResponseError } from '@touchstone/sdk';
import { packOptions, readPackFiles, trustOf } from '../../../app/index.js';
import { type Trust, verifyPack } from '../../../packs/index.js';
import { authorOptions, checkNoKeys, openPackBytes, packPath, sendPack } from '../../files/pack-files.js';
import { type Context, type ExitCode, UsageError, writeLine, writeResult } from '../../io.js';
import { readConfig } from '../../local.js';
import { compilePack, contentRows, type PackFacts, type Row, renderPack } from '../../render/pack.js';
import { errorDocument, explain } from '../../report-error.js';
import { type Where, withSession } from '../../session.js';

type Admitted = {
  readonly facts: PackFacts;
  readonly policy: Trust['policy'];
  /** `trusted`: by a key of the configuration. `unchecked`: by one that is not known here. */
  readonly signature: 'trusted' | 'unchecked' | 'none';
  readonly filesSigned: boolean;
};

/** Looks at a pack as an installation would, and keeps nothing. */
export async function verifyPackCommand(context: Context, argument: string): Promise<ExitCode> {
  const path = packPath(argument, context.io.cwd);
  const config = await readConfig(context);
  const trust = trustOf(config, 'cli');
  try {
    const bytes = await readPackFiles(path);
    if (!Buffer.isBuffer(bytes)) checkNoKeys(bytes);
    const pack = await openPackBytes(bytes, packOptions(config));
    // What is not to be trusted is not looked into: compiling may fetch what a profile names.
    const { signedBy, filesSigned, warnings } = verifyPack(pack, trust);
    const facts = await compilePack(context, config, pack);
    tellAdmitted(context, {
      facts: { ...facts, warnings: [...facts.warnings, ...warnings] },
      policy: trust.policy,
      signature: signedBy !== undefined ? 'trusted' : facts.signedBy === undefined ? 'none' : 'unchecked',
      filesSigned,
    });
    return 0;
  } catch (error) {
    if (!isHostError(error) && !(error instanceof UsageError)) throw error;
    tellRefused(context, argument, error);
    return 1;
  }
}

function tellAdmitted(context: Context, { facts, ...verdict }: Admitted): void {
  const { signature, filesSigned, policy } = verdict;
  // A changed prompt or suite leaves a signature of the manifest alone intact.
  const verified = signature === 'trusted' && filesSigned;
  const by = {
    trusted: `by ${facts.signedBy}, a key of trust.keys`,
    unchecked: `by ${facts.signedBy}, which is not in trust.keys: not checked`,
    none: 'none',
  }[signature];
  const files = { true: ', each of them signed', false: ', of which only the manifest is signed' };
  const rows: readonly Row[] = [
    ...contentRows(facts, signature === 'trusted' ? files[`${filesSigned}`] : ''),
    ['signature', by],
    ['policy', policy],
  ];
  const words = verified ? 'is verified' : `is allowed here${signature === 'trusted' ? ONLY_MANIFEST : ''}`;
  const title = `${facts.name}@${facts.version} ${words}`;
  writeResult(context, { admitted: true, verified, ...facts, ...verdict }, ({ ink }) =>
    renderPack(`${ink.green('✓')} ${title}`, rows, facts.warnings, ink),
  );
}

const ONLY_MANIFEST = ', and only its manifest is signed';

function tellRefused(context: Context, argument: string, error: HostError | UsageError): void {
  const { io, settings } = context;
  const document = { admitted: false, verified: false, error: errorDocument(error) };
  writeResult(context, document, ({ ink }) => `  ${ink.red('✗')} ${argument} is refused\n`);
  if (!settings.json) for (const line of explain(error).lines) writeLine(io.stderr, line);
}

/** Installs a pack in the local store, or on another host. A folder is installed as the archive of it. */
export async function installPackCommand(
  context: Context,
  argument: string,
  options: Where,
): Promise<ExitCode> {
  const path = packPath(argument, context.io.cwd);
  const { installed } = await withSession(context, options, 'work', async ({ client, local }) => {
    // Another host has capabilities of its own.
    const packing = local ? packOptions(local.config) : await authorOptions(context);
    return sendPack(client, path, packing).catch((error: unknown) =>
      explainConflict(error, argument, local !== undefined),
    );
  });
  const agents = installed.agents.map(({ agentId, version }) => `${agentId}@${version}`);
  const suites = installed.suites.map(({ suiteRef }) => suiteRef);
  const { outcome, name, version, integrity, signedBy, warnings } = installed;
  const where = options.host === undefined ? '' : ` on ${new URL(options.host).origin}`;
  const title =
    outcome === 'same' ? `${name}@${version} was installed before` : `Installed ${name}@${version}${where}`;
  const rows: readonly Row[] = [
    ['integrity', integrity],
    ...agents.map((agent): Row => ['agent', agent]),
    ...suites.map((suite): Row => ['suite', suite]),
    ['signed by', signedBy ?? 'nobody who is trusted here'],
  ];
  writeResult(context, { ...installed, agents, suites }, ({ ink }) => renderPack(title, rows, warnings, ink));
  return 0;
}

/** A pack that was run from its folder is in the store too, in the state it was run in. */
function explainConflict(error: unknown, argument: string, isHere: boolean): never {
  if (!isHere || !(error instanceof HostResponseError) || error.code !== 'conflict') throw error;
  throw new UsageError(
    error.message,
    `Raise "version" in pack.json. To use it as it is now: touchstone run ${argument}`,
    'conflict',
  );
}
