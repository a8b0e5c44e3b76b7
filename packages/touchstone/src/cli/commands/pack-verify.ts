import { type HostError, isHostError } from '@touchstone/contract';
import type { OpenedPack, Trust } from '../../suites/index.js';
import type { ExitCode } from '../exit.js';
import { type Context, isColoured, writeJson, writeLine } from '../io.js';
import { readConfig } from '../local.js';
import { openPackBytes, packPath, readPackBytes } from '../pack-place.js';
import { createInk } from '../render/ink.js';
import { contentRows, factsOfPack, type PackFacts, type Row, renderPack } from '../render/pack.js';
import { explainRefusal } from '../report-error.js';

type Verified = {
  readonly facts: PackFacts;
  readonly policy: Trust['policy'];
  /** `trusted`: by a key of the configuration. `unchecked`: by one that is not known here. */
  readonly signature: 'trusted' | 'unchecked' | 'none';
  readonly filesSigned: boolean;
};

/** Looks at a pack as an installation would, and keeps nothing. */
export async function verifyPackCommand(context: Context, argument: string): Promise<ExitCode> {
  const path = packPath(argument, context.io.cwd);
  const { packOptions, trustOf } = await import('../../host/in-process.js');
  const config = await readConfig(context);
  const trust = trustOf(config, 'cli');
  const bytes = await readPackBytes(path);
  try {
    tellVerified(context, await verify(await openPackBytes(bytes, packOptions(config)), trust));
    return 0;
  } catch (error) {
    if (!isHostError(error)) throw error;
    tellRefused(context, argument, error);
    return 1;
  }
}

async function verify(pack: OpenedPack, trust: Trust): Promise<Verified> {
  const { verifyPack } = await import('../../suites/index.js');
  const { signedBy, filesSigned, warnings } = verifyPack(pack, trust);
  const facts = factsOfPack(pack);
  return {
    facts: { ...facts, warnings: [...facts.warnings, ...warnings] },
    policy: trust.policy,
    signature: signedBy !== undefined ? 'trusted' : facts.signedBy === undefined ? 'none' : 'unchecked',
    filesSigned,
  };
}

function tellVerified(context: Context, { facts, ...verdict }: Verified): void {
  const { io, settings } = context;
  if (settings.json) {
    writeJson(io, { verified: true, ...facts, ...verdict });
    return;
  }
  const { signature, filesSigned, policy } = verdict;
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
  const ink = createInk(isColoured(context, io.stdout));
  const verdictWords = signature === 'trusted' ? 'is verified' : 'is sound and allowed here';
  const title = `${ink.green('✓')} ${facts.name}@${facts.version} ${verdictWords}`;
  io.stdout.write(renderPack(title, rows, facts.warnings, ink));
}

function tellRefused(context: Context, argument: string, error: HostError): void {
  const { io, settings } = context;
  const { code, message, details } = error;
  if (settings.json) {
    writeJson(io, { verified: false, error: { code, message, ...(details && { details }) } });
    return;
  }
  const ink = createInk(isColoured(context, io.stdout));
  writeLine(io.stdout, `  ${ink.red('✗')} ${argument} is refused`);
  for (const line of explainRefusal(error).lines) writeLine(io.stderr, line);
}
