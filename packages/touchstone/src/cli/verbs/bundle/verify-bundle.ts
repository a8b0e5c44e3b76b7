import { defined } from '@touchstone/protocol';
import { refOf } from '@touchstone/sdk/view';
import {
  type BundleFiles,
  type BundleVerdict,
  checkBundle,
  namedBySignature,
  type TrustedKey,
} from '../../../app/index.js';
import { type Context, type ExitCode, lookOf, type Settings, writeResult } from '../../io.js';
import { blocks, markedLines, noteLines, type Row, readable, rowLines } from '../../render/layout.js';
import { type Look, printable } from '../../render/text.js';
import { LABEL, resultRows } from '../../render/verification.js';
import { type Keys, trustedKeys } from '../runs/evidence-keys.js';
import { readBundle } from './bundle-files.js';

type VerifyOptions = { readonly key?: readonly string[] };

/** Whether an evidence bundle can be believed. Asks no host, and shows no content. */
export async function verifyBundleCommand(context: Context, named: string): Promise<ExitCode> {
  // The parser gives options that `verify` has as well to `verify`.
  const { key = [] } = context.settings as Settings & VerifyOptions;
  const keys = await trustedKeys(context, key);
  const files = readBundle(named, context.io.cwd);
  const verdict = checkBundle(files, keysFor(files, keys));
  const verified = verdict.doubts.length === 0;
  const exitCode = verified ? 0 : 1;
  writeResult(context, documentOf(named, verdict), () => render(named, verdict, lookOf(context)));
  return exitCode;
}

/** Keys that were given by their files count under the names that they have signed with here. */
const keysFor = (files: BundleFiles, { known, given }: Keys): readonly TrustedKey[] => {
  const publicKeys = given.map(({ publicKey }) => publicKey);
  const envelopes = [...files].filter(([name]) => /\.dsse(\.json)?$/.test(name));
  return [
    ...known,
    ...envelopes.flatMap(([, bytes]) => namedBySignature(bytes.toString('utf8'), publicKeys)),
  ];
};

function documentOf(file: string, { doubts, notes, facts, signedBy, scorecard }: BundleVerdict): object {
  const verified = doubts.length === 0;
  return {
    file,
    verified,
    exitCode: verified ? 0 : 1,
    reasons: doubts,
    notes,
    ...defined({ signedBy }),
    ...(facts && { runId: facts.runId, createdAt: facts.createdAt, host: facts.host, parts: facts.parts }),
    ...(scorecard && {
      agent: scorecard.agent,
      suite: { ref: refOf(scorecard.suite), digest: scorecard.suite.digest },
      score: scorecard.summary.aggregateScore,
      passed: scorecard.summary.passed,
    }),
  };
}

function render(
  file: string,
  { doubts, notes, facts, signedBy, scorecard }: BundleVerdict,
  wide: Look,
): string {
  const look = readable(wide, 60);
  const { ink } = look;
  const badge = doubts.length === 0 ? ink.green(ink.bold(' VERIFIED ')) : ink.red(ink.bold(' NOT VERIFIED '));
  const rows: readonly Row[] = [
    ['agent', scorecard && refOf(scorecard.agent)],
    ['suite', scorecard && refOf(scorecard.suite)],
    ...(scorecard ? resultRows(scorecard) : []),
    ['run', facts?.runId],
    ['made', facts?.createdAt],
    ['parts', facts?.parts.join(', ')],
    ['signature', signedBy === undefined ? 'by no key that is trusted here' : `by ${signedBy}`],
  ];
  return `\n${blocks([
    [`  ${ink.inverse(badge)}  ${ink.bold(printable(file))}`],
    doubts.flatMap(({ message }) => markedLines(ink.red('✗'), printable(message), look)),
    [
      ...(doubts.length === 0 ? [] : [`  ${ink.dim('What the bundle claims:')}`]),
      ...rowLines(rows, look, { label: LABEL }),
    ],
    noteLines(notes, look, ink.dim),
  ])}\n`;
}
