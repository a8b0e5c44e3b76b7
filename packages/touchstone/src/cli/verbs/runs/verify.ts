import { resolve } from 'node:path';
import {
  type Issue,
  isHostError,
  type JsonObject,
  jsonEqual,
  type Scorecard,
  withoutContractOutcome,
  withoutTaskDigests,
} from '@touchstone/protocol';
import type { Client } from '@touchstone/sdk';
import { checkScorecardFile } from '../../../app/index.js';
import {
  type Check,
  type Checked,
  checkWithKeys,
  doubtsOf,
  readScorecardFile,
  readScorecardInput,
} from '../../files/scorecard-file.js';
import {
  type Context,
  type ExitCode,
  lookOf,
  UsageError,
  worstExit,
  writeJson,
  writeLine,
} from '../../io.js';
import { hasStore } from '../../local.js';
import { shell } from '../../render/shell.js';
import {
  type Doubt,
  type LogState,
  renderVerification,
  type Signer,
  type Verification,
  verificationDocument,
} from '../../render/verification.js';
import { errorDocument, reportError } from '../../report-error.js';
import { knownRun } from '../../run-lookup.js';
import { type Where, withSession } from '../../session.js';
import { isSystemError, wordsOf } from '../../system-errors.js';
import { type Keys, trustedKeys } from './evidence-keys.js';

type VerifyOptions = Where & { readonly key?: readonly string[] };

const STDIN = '-';

/** What came of one file: a scorecard, one with a part that does not fit, or something else altogether. */
type FileCheck = { readonly file: string } & (
  | Checked
  | { readonly doubts: readonly Doubt[] }
  | { readonly unreadable: unknown }
);
type Logs = ReadonlyMap<Scorecard, LogState>;

/** Whether scorecard files can be believed. Keeps nothing. */
export async function verifyCommand(
  context: Context,
  files: readonly string[],
  { key = [], ...where }: VerifyOptions,
): Promise<ExitCode> {
  const keys = await trustedKeys(context, key);
  checkInput(files);
  const checks: FileCheck[] = [];
  for (const file of files) checks.push(await checkFile(context, file, keys, checkScorecardFile));
  const logs = await compareLogs(context, where, checks);
  const results = checks.map((one) => resultOf(one, logs));
  if (context.settings.json) {
    const documents = results.map(documentOf);
    writeJson(context.io, files.length > 1 ? documents : documents[0]);
  } else for (const result of results) writeResult(context, result);
  return worstExit(results.map(exitOf));
}

function checkInput(files: readonly string[]): void {
  if (files.filter((file) => file === STDIN).length > 1)
    throw new UsageError('stdin can be read only once.', 'Give - once, and the other files by their names.');
}

/** A file that is not a scorecard file does not keep the others from being checked. */
async function checkFile(context: Context, file: string, keys: Keys, check: Check): Promise<FileCheck> {
  try {
    const text =
      file === STDIN
        ? await readScorecardInput(context)
        : readScorecardFile(resolve(context.io.cwd, file), file);
    return { file, ...checkWithKeys(text, keys, check) };
  } catch (error) {
    const doubts = doubtsOf(error);
    if (doubts) return { file, doubts };
    if (!isHostError(error) && !(error instanceof UsageError)) throw error;
    return { file, unreadable: inWords(error) };
  }
}

/** The whole file is meant, so there is no place in it to point at. */
function inWords(error: Error): Error {
  const issues = isHostError(error) ? (error.details?.issues as readonly Issue[] | undefined) : undefined;
  const [first] = issues ?? [];
  return first ? new UsageError(first.message) : error;
}

/** Of the runs that the host keeps: whether their log is the one that the file is made of. */
async function compareLogs(context: Context, where: Where, checks: readonly FileCheck[]): Promise<Logs> {
  const cards = checks.flatMap((one) => ('checked' in one ? [one.checked.scorecard] : []));
  const compared = new Map<Scorecard, LogState>();
  if (cards.length === 0) return compared;
  try {
    // Files can be checked where nothing is kept.
    if (where.host === undefined && !(await mayHaveStore(context))) return compared;
    await withSession(context, where, 'look', async ({ client }) => {
      for (const card of cards) compared.set(card, await logState(client, card));
    });
  } catch (error) {
    // A host that cannot be asked as it was meant is a mistake; a store that cannot be read is none.
    if (error instanceof UsageError) throw error;
    const why = isSystemError(error) ? wordsOf(error) : messageOf(error);
    for (const card of cards) if (!compared.has(card)) compared.set(card, { state: 'unchecked', why });
  }
  return compared;
}

/** A signature needs no store: a folder without one is told of, and nothing is compared. */
const mayHaveStore = (context: Context): Promise<boolean> =>
  hasStore(context).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    writeLine(context.io.stderr, `warning: ${error.message}`);
    return false;
  });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The digest alone says little: it is copied as easily as the rest of the file. So everything is compared. */
async function logState(client: Client, card: Scorecard): Promise<LogState> {
  const run = await knownRun(client, card.runId);
  if (!run) return { state: 'absent' };
  if (run.touchstone?.kind !== 'eval' || run.status !== 'completed') return { state: 'differs', members: [] };
  const kept = await client.runs.scorecard(card.runId);
  const members = differingMembers(withoutContractOutcome(withoutTaskDigests(kept, card), card), card);
  return members.length === 0 ? { state: 'matches' } : { state: 'differs', members };
}

/** As they are written down: a member that is absent and one that is undefined are the same. */
function differingMembers(one: object, other: Scorecard): readonly string[] {
  const [kept, claimed] = [one, other].map((card) => JSON.parse(JSON.stringify(card)) as JsonObject);
  const names = new Set([...Object.keys(kept ?? {}), ...Object.keys(claimed ?? {})]);
  return [...names].filter((name) => !jsonEqual(kept?.[name] ?? null, claimed?.[name] ?? null)).sort();
}

type FileResult = Verification | { readonly file: string; readonly unreadable: unknown };

function resultOf(one: FileCheck, logs: Logs): FileResult {
  const { file } = one;
  if ('unreadable' in one || 'doubts' in one) return one;
  const { checked, signer } = one;
  const { scorecard, host, troubles } = checked;
  const log = logs.get(scorecard) ?? { state: 'absent' };
  const doubts = [
    ...signatureDoubts(file, signer),
    ...troubles.map((message): Doubt => ({ code: 'contradictory', message })),
    ...logDoubts(scorecard, log),
  ];
  return { file, doubts, claims: { scorecard, host, signer, log } };
}

function signatureDoubts(file: string, signer: Signer): readonly Doubt[] {
  if (signer.state === 'trusted') return [];
  if (signer.state === 'unsigned')
    return [{ code: 'unsigned', message: 'Nobody has signed it, so anybody may have written it.' }];
  const name = signer.keyId ?? 'without a name';
  const message = `It is signed by key ${name}, which is not trusted here. Get the public key from its author, and check that it is theirs.`;
  return [{ code: 'untrusted', message, next: shell`touchstone verify ${file} --key pub.pem` }];
}

function logDoubts({ runId }: Scorecard, log: LogState): readonly Doubt[] {
  if (log.state !== 'differs') return [];
  const message =
    log.members.length === 0
      ? `Run ${runId} is kept here, and has no scorecard: it is no completed evaluation.`
      : `Run ${runId} is kept here, and its log gives another scorecard. It differs in: ${log.members.join(', ')}.`;
  return [{ code: 'other_log', message }];
}

function exitOf(result: FileResult): ExitCode {
  if ('unreadable' in result) return 2;
  return result.doubts.length > 0 ? 1 : 0;
}

const documentOf = (result: FileResult): object =>
  'unreadable' in result
    ? { file: result.file, verified: false, exitCode: 2, error: errorDocument(result.unreadable) }
    : verificationDocument(result);

function writeResult(context: Context, result: FileResult): void {
  const { io } = context;
  if ('unreadable' in result) {
    writeLine(io.stderr, `${result.file} was not verified:`);
    reportError(result.unreadable, io);
    return;
  }
  io.stdout.write(renderVerification(result, lookOf(context)));
}
