import { type HostError, isHostError } from '@touchstone/protocol';
import { packOptions, trustOf } from '../../../app/index.js';
import { type PackReading, type Trust, verifyPack } from '../../../packs/index.js';
import { checkNoKeys, openPackBytes, packPath, readPackBytes } from '../../files/pack-files.js';
import { type Context, type ExitCode, lookOf, UsageError, writeJson, writeLine } from '../../io.js';
import { readConfig } from '../../local.js';
import { compilePack, contentRows, type PackFacts, type Row, renderPack } from '../../render/pack.js';
import { errorDocument, explain } from '../../report-error.js';

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
    const bytes = await readPackBytes(path);
    if (!Buffer.isBuffer(bytes)) checkNoKeys(bytes);
    const pack = await openPackBytes(bytes, packOptions(config));
    tellAdmitted(context, await verify(pack, trust, () => compilePack(context, config, pack)));
    return 0;
  } catch (error) {
    if (!isHostError(error) && !(error instanceof UsageError)) throw error;
    tellRefused(context, argument, error);
    return 1;
  }
}

/** What is not to be trusted is not looked into: compiling may fetch what a profile names. */
async function verify(
  pack: PackReading,
  trust: Trust,
  lookInto: () => Promise<PackFacts>,
): Promise<Admitted> {
  const { signedBy, filesSigned, warnings } = verifyPack(pack, trust);
  const facts = await lookInto();
  return {
    facts: { ...facts, warnings: [...facts.warnings, ...warnings] },
    policy: trust.policy,
    signature: signedBy !== undefined ? 'trusted' : facts.signedBy === undefined ? 'none' : 'unchecked',
    filesSigned,
  };
}

function tellAdmitted(context: Context, { facts, ...verdict }: Admitted): void {
  const { io, settings } = context;
  const { signature, filesSigned, policy } = verdict;
  // A changed prompt or suite leaves a signature of the manifest alone intact.
  const verified = signature === 'trusted' && filesSigned;
  if (settings.json) {
    writeJson(io, { admitted: true, verified, ...facts, ...verdict });
    return;
  }
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
  const ink = lookOf(context).ink;
  const words = verified ? 'is verified' : `is allowed here${signature === 'trusted' ? ONLY_MANIFEST : ''}`;
  const title = `${ink.green('✓')} ${facts.name}@${facts.version} ${words}`;
  io.stdout.write(renderPack(title, rows, facts.warnings, ink));
}

const ONLY_MANIFEST = ', and only its manifest is signed';

function tellRefused(context: Context, argument: string, error: HostError | UsageError): void {
  const { io, settings } = context;
  if (settings.json) {
    writeJson(io, { admitted: false, verified: false, error: errorDocument(error) });
    return;
  }
  const ink = lookOf(context).ink;
  writeLine(io.stdout, `  ${ink.red('✗')} ${argument} is refused`);
  for (const line of explain(error).lines) writeLine(io.stderr, line);
}
