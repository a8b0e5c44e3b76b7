import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { buildPack, readPackFolder, signPack } from '../../../packs/index.js';
import { checkRegular, displayPath, placeFile } from '../../files/local-files.js';
import {
  authorOptions,
  checkNoKeys,
  type KeyOptions,
  openPackBytes,
  packPath,
  readSigning,
} from '../../files/pack-files.js';
import { type Context, type ExitCode, UsageError, writeResult } from '../../io.js';
import { readConfig } from '../../local.js';
import { compilePack, contentRows, lookAtPack, type PackFacts, renderPack } from '../../render/pack.js';

type BuildOptions = KeyOptions & { readonly out?: string; readonly force?: boolean };

/** Makes the archive of a folder. The same files give the same archive, byte for byte. */
export async function buildPackCommand(
  context: Context,
  folder: string,
  options: BuildOptions,
): Promise<ExitCode> {
  const { cwd } = context.io;
  const path = packPath(folder, cwd);
  if (!statSync(path).isDirectory())
    throw new UsageError(
      `${folder} is an archive already.`,
      `Sign it with: touchstone pack sign ${folder} --key key.pem --key-id <name>`,
    );
  const signing = readSigning(options, cwd);
  const author = await authorOptions(context);
  const files = await readPackFolder(path);
  checkNoKeys(files);
  const { archive } = await buildPack(files, { ...author, ...(signing && { signing }) });
  const pack = await openPackBytes(archive, author);
  const facts = await compilePack(context, await readConfig(context), pack);
  const file = outFile(options.out, `${facts.name}-${facts.version}.tgz`, path, cwd);
  placeArchive(file, archive, options.force ?? false, cwd);
  tell(context, 'Built', file, facts);
  return 0;
}

type SignOptions = Required<KeyOptions> & { readonly out?: string; readonly force?: boolean };

/** Signs an archive in its place, or writes the signed one elsewhere. */
export async function signPackCommand(
  context: Context,
  archive: string,
  options: SignOptions,
): Promise<ExitCode> {
  const { cwd } = context.io;
  const path = packPath(archive, cwd);
  if (statSync(path).isDirectory())
    throw new UsageError(
      `${archive} is a folder, and archives are signed.`,
      `Build a signed one with: touchstone pack build ${archive} --key key.pem --key-id <name>`,
    );
  const signing = readSigning(options, cwd) as NonNullable<ReturnType<typeof readSigning>>;
  const author = await authorOptions(context);
  const signed = await signPack(readFileSync(path), signing, author);
  const file = options.out === undefined ? path : resolve(cwd, options.out);
  placeArchive(file, signed.archive, file === path || (options.force ?? false), cwd);
  // Signing may happen on a machine that reaches no dataset: contracts are compiled by build and verify.
  const facts = await lookAtPack(await openPackBytes(signed.archive, author));
  tell(context, 'Signed', file, {
    ...facts,
    warnings: [...new Set([...signed.warnings, ...facts.warnings])],
  });
  return 0;
}

/** In the folder one is in, but never inside the pack: the next archive would hold the last one. */
function outFile(out: string | undefined, name: string, pack: string, cwd: string): string {
  const place = isWithin(pack, cwd) ? dirname(pack) : cwd;
  const file = out === undefined ? join(place, name) : resolve(cwd, out);
  if (!isWithin(pack, file)) return file;
  throw new UsageError(
    `${out} lies inside the pack, and the next archive would hold it.`,
    `Name another place, e.g. --out ../${name}`,
  );
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

function placeArchive(file: string, archive: Buffer, overwrite: boolean, cwd: string): void {
  checkRegular(file, displayPath(file, cwd), 'Name another file with --out.');
  const isThere = existsSync(file);
  if (isThere && archive.equals(readFileSync(file))) return;
  if (isThere && !overwrite)
    throw new UsageError(
      `${displayPath(file, cwd)} is there and is another file.`,
      'Raise "version" in pack.json, name another file with --out, or add --force to overwrite it.',
    );
  placeFile(file, archive, overwrite);
}

function tell(context: Context, done: string, file: string, facts: PackFacts): void {
  const shown = displayPath(file, context.io.cwd);
  const signer = facts.signedBy ?? 'nobody';
  const rows = [['file', shown] as const, ...contentRows(facts), ['signed by', signer] as const];
  const title = `${done} ${facts.name}@${facts.version}`;
  writeResult(context, { file: shown, ...facts }, ({ ink }) => renderPack(title, rows, facts.warnings, ink));
}
