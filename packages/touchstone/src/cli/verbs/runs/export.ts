import { createPublicKey } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defined, isTerminal, parseJson, type Scorecard } from '@touchstone/protocol';
import { collectRun, type RunSnapshot } from '@touchstone/sdk';
import { ownKey, publicKeyOf, sealStatement, statementOf } from '../../../app/index.js';
import { checkRegular, displayPath, placeFile, targetOf } from '../../files/local-files.js';
import { type KeyOptions, readSigning, type Signing } from '../../files/pack-files.js';
import { MOST_BYTES } from '../../files/scorecard-file.js';
import {
  type Context,
  checkRules,
  type ExitCode,
  lookOf,
  type OptionRule,
  UsageError,
  writeJson,
  writeResult,
} from '../../io.js';
import { readConfig, storeFile } from '../../local.js';
import { type Exported, exportDocument, renderExport } from '../../render/exported.js';
import { shell } from '../../render/shell.js';
import { asEvalRun, findRun, stateOf } from '../../run-lookup.js';
import { commandToType, flag, type Session, type Where, whereFlags, withSession } from '../../session.js';
import { isSystemError, wordsOf } from '../../system-errors.js';
import { packageVersion } from '../../version.js';
import { writeOutputs } from '../run/output-files.js';
import { checkReportFiles, MOST_CHECKS } from '../run/report.js';
import type { Attempt } from '../run/result.js';

// `export` replaces what an earlier `export` has written, and nothing else.

type OutputFile = {
  readonly flag: string;
  readonly what: string;
  /** What to do when it is no regular file. */
  readonly hint: string;
  readonly isOne: (text: string) => boolean;
};

const OUT: OutputFile = {
  flag: '--out',
  what: 'scorecard file',
  hint: 'Use --out - for stdout.',
  isOne: (text) => Object.hasOwn(Object(parseJson(text)), 'payloadType'),
};
const PUBLIC_KEY: OutputFile = {
  flag: '--public-key',
  what: 'public key',
  hint: 'Name another file with --public-key.',
  isOne: isPublicKey,
};

function checkOutput(context: Context, output: OutputFile, name: string): void {
  withFile(context, output, name, (file) => {
    checkRegular(file, name, output.hint);
    const entry = statSync(file, { throwIfNoEntry: false });
    if (!entry || (entry.size <= MOST_BYTES && output.isOne(readFileSync(file, 'utf8')))) return;
    throw new UsageError(`${name} exists and is no ${output.what}.`, 'Name another, or remove it.');
  });
}

const writeOutput = (context: Context, output: OutputFile, name: string, text: string): void =>
  withFile(context, output, name, (file) => placeFile(file, text, true));

function withFile({ io }: Context, { flag }: OutputFile, name: string, act: (file: string) => void): void {
  try {
    act(resolve(io.cwd, name));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new UsageError(`${name} cannot be written: ${wordsOf(error)}.`, `Name another file with ${flag}.`);
  }
}

/** A public key can be made out of a private one, which must not be mistaken for it. */
function isPublicKey(text: string): boolean {
  if (!text.trimStart().startsWith('-----BEGIN PUBLIC KEY-----')) return false;
  try {
    return createPublicKey(text).type === 'public';
  } catch {
    return false;
  }
}

export type ExportOptions = KeyOptions &
  Where & {
    readonly out?: string;
    readonly publicKey?: string;
    /** Files of every task, which are not signed. */
    readonly output?: readonly string[];
    readonly bodies?: boolean;
    /** A tar archive or a folder: the scorecard with everything that it rests on. */
    readonly bundle?: string;
    /** Of a bundle: whether the tasks of the suite are in it. */
    readonly suite?: boolean;
  };

const STDOUT = '-';

const RULES: readonly OptionRule<ExportOptions>[] = [
  {
    wrong: ({ output, bodies, bundle }) =>
      bodies && output === undefined && bundle === undefined && '--bodies',
    message: '% is about files of tasks and bundles: a scorecard file holds no content.',
    hint: 'Add --output <file>, --html or --bundle <place>, or leave % out.',
  },
];

/** Writes what of a completed run can travel, signed. */
export async function exportCommand(
  context: Context,
  wanted: string,
  options: ExportOptions,
): Promise<ExitCode> {
  await checkFiles(context, options);
  if (!isSigned(options)) return writeTasks(context, wanted, options);
  const given = readSigning(options, context.io.cwd);
  const { card, signing } = await withSession(context, options, 'look', async (session) => {
    const { client } = session;
    const run = asEvalRun(await findRun(client, wanted));
    checkCompleted(context, run, options);
    const card = await client.runs.scorecard(run.runId);
    if (options.output) await writeOutputs(context, session, [await viewOf(context, session, run)], options);
    return { card, signing: given ?? (await ownKey(resolve(context.io.cwd, context.settings.data))) };
  });
  await writeExport(context, card, signing, options);
  return 0;
}

/** Files of tasks alone need no key: nothing of them is signed. */
const isSigned = ({ output, out, key, publicKey }: ExportOptions): boolean =>
  output === undefined || [out, key, publicKey].some((given) => given !== undefined);

/** Of any run, completed or not: they tell what there is. */
async function writeTasks(context: Context, wanted: string, options: ExportOptions): Promise<ExitCode> {
  const { output = [] } = options;
  const runId = await withSession(context, options, 'look', async (session) => {
    const run = asEvalRun(await findRun(session.client, wanted));
    await writeOutputs(context, session, [await viewOf(context, session, run)], options);
    return run.runId;
  });
  writeResult(context, { runId, files: output }, () => output.map((name) => `wrote ${name}\n`).join(''));
  return 0;
}

const viewOf = async ({ io }: Context, { client }: Session, { runId }: RunSnapshot): Promise<Attempt> => ({
  result: await collectRun(client, runId, { bodies: MOST_CHECKS, now: io.now() }),
});

export function checkCompleted(context: Context, run: RunSnapshot, where: Where): void {
  const { runId, status } = run;
  if (status === 'completed') return;
  const command = (words: string): string => commandToType(context, words, where);
  const hint = isTerminal(status)
    ? `See what became of it with: ${command(shell`show ${runId}`)}`
    : `Finish it with: ${command(shell`run --resume ${runId}`)}`;
  throw new UsageError(
    `Run ${runId} is ${stateOf(run)}; only a completed run has a scorecard to export.`,
    hint,
  );
}

/** A file that is written must not be one that is read, least of all the key. */
export async function checkFiles(context: Context, options: ExportOptions): Promise<void> {
  const { out, key, publicKey, output = [] } = options;
  const { io, settings } = context;
  checkRules(RULES, options);
  checkReportFiles(context, options);
  if (out === STDOUT && settings.json)
    throw new UsageError(
      '--json and --out - would both write to stdout.',
      'Leave one of them out: the file is JSON by itself.',
    );
  const taken = new Map(await ownFiles(context));
  if (key !== undefined) taken.set(targetOf(resolve(io.cwd, key)), '--key');
  const named = [
    ['--out', out] as const,
    ['--public-key', publicKey] as const,
    ...output.map((name) => ['--output', name] as const),
  ];
  for (const [flag, name] of named) {
    if (name === undefined || (flag === '--out' && name === STDOUT)) continue;
    const path = targetOf(resolve(io.cwd, name));
    const other = taken.get(path);
    if (other !== undefined)
      throw new UsageError(`${other} and ${flag} are the same file, ${name}.`, 'Name another file.');
    taken.set(path, flag);
  }
}

/** What is kept here, whatever of it is there at the moment. */
async function ownFiles(context: Context): Promise<readonly (readonly [string, string])[]> {
  const { io, settings } = context;
  const store = storeFile(context, await readConfig(context));
  return [
    [targetOf(join(resolve(io.cwd, settings.data), 'signing-key.pem')), 'The key of this machine'],
    ...storeFiles(store).map((file) => [targetOf(file), 'The store'] as const),
  ];
}

const storeFiles = (store: string | undefined): readonly string[] =>
  store === undefined ? [] : ['', '-wal', '-shm', '-journal'].map((end) => store + end);

async function writeExport(
  context: Context,
  card: Scorecard,
  signing: Signing,
  options: ExportOptions,
): Promise<void> {
  const text = sealCard(card, signing);
  const { out = `${card.suite.suiteId}-${card.runId}.scorecard.json` } = options;
  // Both places are looked at before one of them is written to.
  if (out !== STDOUT) checkOutput(context, OUT, out);
  writePublicKey(context, signing, options);
  if (out === STDOUT) context.io.stdout.write(text);
  else writeOutput(context, OUT, out, text);
  const { cwd } = context.io;
  const file = out === STDOUT ? undefined : displayPath(resolve(cwd, out), cwd);
  const own = options.key === undefined;
  const key = { keyId: signing.keyId, ownKey: own, publicKey: publicKeyText(signing) };
  tell(context, { scorecard: card, ...key, ...defined({ file, publicKeyFile: options.publicKey }) }, options);
}

export const sealCard = (card: Scorecard, signing: Signing): string =>
  sealStatement(statementOf(card, { name: 'touchstone', version: packageVersion() }), signing);

export function writeCard(context: Context, file: string, text: string): void {
  checkOutput(context, OUT, file);
  writeOutput(context, OUT, file, text);
}

/** For those who want to check the file. */
export function writePublicKey(context: Context, signing: Signing, { publicKey }: ExportOptions): void {
  if (publicKey === undefined) return;
  checkOutput(context, PUBLIC_KEY, publicKey);
  writeOutput(context, PUBLIC_KEY, publicKey, publicKeyText(signing));
}

export const publicKeyText = ({ privateKey }: Signing): string =>
  publicKeyOf(privateKey).export({ type: 'spki', format: 'pem' }).toString();

/** Where the file itself goes to stdout, the words about it go beside. */
function tell(context: Context, exported: Exported, options: ExportOptions): void {
  const { key, keyId } = options;
  const { io, settings } = context;
  if (settings.json) {
    writeJson(io, exportDocument(exported));
    return;
  }
  const out = exported.file === undefined ? io.stderr : io.stdout;
  const signing = [...flag('--key', key), ...flag('--key-id', keyId), ...whereFlags(options)];
  const words = [shell`export ${exported.scorecard.runId}`, ...signing, '--public-key pub.pem'];
  const again = commandToType(context, words.join(' '));
  out.write(renderExport(exported, again, lookOf(context, out)));
}
