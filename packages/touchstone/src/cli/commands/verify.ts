import { resolve } from 'node:path';
import { type Issue, isHostError, type Json, jsonEqual, type Scorecard } from '@touchstone/contract';
import type { LocalTouchstone } from '../../host/in-process.js';
import { type Keys, trustedKeys } from '../evidence-keys.js';
import { type ExitCode, worstExit } from '../exit.js';
import { type Context, isColoured, writeJson, writeLine } from '../io.js';
import { LOCAL_OWNER, readStore } from '../local.js';
import { createInk } from '../render/ink.js';
import {
  type Doubt,
  type LogState,
  renderVerification,
  type Signer,
  type Verification,
  verificationDocument,
} from '../render/verification.js';
import { errorDocument, reportError } from '../report-error.js';
import { type Check, type Checked, checkWithKeys, doubtsOf, readScorecardFile } from '../scorecard-file.js';
import { UsageError } from '../usage-error.js';

export type VerifyOptions = { readonly key?: readonly string[] };

/** What came of one file: a scorecard, one with a part that does not fit, or something else altogether. */
type Looked = { readonly file: string } & (
  | Checked
  | { readonly doubts: readonly Doubt[] }
  | { readonly unreadable: unknown }
);
type Logs = ReadonlyMap<Scorecard, LogState>;

/** Whether scorecard files can be believed. Keeps nothing. */
export async function verifyCommand(
  context: Context,
  files: readonly string[],
  { key = [] }: VerifyOptions,
): Promise<ExitCode> {
  const keys = await trustedKeys(context, key);
  const { checkScorecardFile } = await import('../../host/in-process.js');
  const looked = files.map((file) => lookAt(context, file, keys, checkScorecardFile));
  const logs = await compareLogs(context, looked);
  const answers = looked.map((one) => answerOf(one, logs));
  if (context.settings.json) {
    const documents = answers.map(documentOf);
    writeJson(context.io, files.length > 1 ? documents : documents[0]);
  } else for (const answer of answers) tell(context, answer);
  return worstExit(answers.map(exitOf));
}

/** One file that is none of ours does not keep the others from being looked at. */
function lookAt({ io }: Context, file: string, keys: Keys, check: Check): Looked {
  try {
    const text = readScorecardFile(resolve(io.cwd, file), file);
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

/** Of the runs that are kept here: whether their log is the one that the file is made of. */
async function compareLogs(context: Context, looked: readonly Looked[]): Promise<Logs> {
  const cards = looked.flatMap((one) => ('checked' in one ? [one.checked.scorecard] : []));
  const compared = new Map<Scorecard, LogState>();
  if (cards.length === 0) return compared;
  return readStore(
    context,
    async ({ touchstone }) => {
      for (const card of cards) compared.set(card, await logState(touchstone, card));
      return compared;
    },
    () => compared,
  );
}

/** The digest alone says little: it is copied as easily as the rest of the file. So are the results compared. */
async function logState(touchstone: LocalTouchstone, card: Scorecard): Promise<LogState> {
  const run = await touchstone.store.runs.get(LOCAL_OWNER, card.runId);
  if (!run) return 'absent';
  if (run.plan.kind !== 'eval' || run.status !== 'completed') return 'differs';
  const kept = await touchstone.scorecard(LOCAL_OWNER, card.runId);
  const same = (['log', 'results', 'summary', 'agent', 'suite'] as const).every((part) =>
    jsonEqual(asJson(kept[part]), asJson(card[part])),
  );
  return same ? 'matches' : 'differs';
}

/** As it is written down: a member that is absent and one that is undefined are the same. */
const asJson = (part: object): Json => JSON.parse(JSON.stringify(part)) as Json;

type Answer = Verification | { readonly file: string; readonly unreadable: unknown };

function answerOf(one: Looked, logs: Logs): Answer {
  const { file } = one;
  if ('unreadable' in one || 'doubts' in one) return one;
  const { checked, signer } = one;
  const { scorecard, host, troubles } = checked;
  const log = logs.get(scorecard) ?? 'absent';
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
  return [{ code: 'untrusted', message, next: `touchstone verify ${file} --key pub.pem` }];
}

const logDoubts = ({ runId }: Scorecard, log: LogState): readonly Doubt[] =>
  log === 'differs'
    ? [{ code: 'other_log', message: `Run ${runId} is kept here, and its log gives another scorecard.` }]
    : [];

function exitOf(answer: Answer): ExitCode {
  if ('unreadable' in answer) return 2;
  return answer.doubts.length > 0 ? 1 : 0;
}

const documentOf = (answer: Answer): object =>
  'unreadable' in answer
    ? { file: answer.file, verified: false, exitCode: 2, error: errorDocument(answer.unreadable) }
    : verificationDocument(answer);

function tell(context: Context, answer: Answer): void {
  const { io } = context;
  if ('unreadable' in answer) {
    writeLine(io.stderr, `${answer.file} was not verified:`);
    reportError(answer.unreadable, io);
    return;
  }
  const look = { ink: createInk(isColoured(context, io.stdout)), width: io.stdout.columns };
  io.stdout.write(renderVerification(answer, look));
}
