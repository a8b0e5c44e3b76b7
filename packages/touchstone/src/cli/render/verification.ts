import { type ContractVerdict, type Scorecard, verdictOn } from '@touchstone/protocol';
import { CAVEAT_WORDS, keptWords, plural, refOf, score, whole } from '@touchstone/sdk/view';
import {
  blocks,
  markedLines,
  modelRows,
  noteLines,
  type Row,
  readable,
  restLines,
  rowLines,
} from './layout.js';
import { type Look, printable } from './text.js';

/** Why a file is not believed. */
export type Doubt = {
  readonly code: 'unsigned' | 'untrusted' | 'tampered' | 'malformed' | 'contradictory' | 'other_log';
  readonly message: string;
  /** What to type about it. */
  readonly next?: string;
};

/** Whose word a file is, and what makes it believed: `trust.keys`, this machine, or a flag. */
export type Signer =
  | { readonly state: 'trusted'; readonly keyId: string; readonly from: string }
  | { readonly state: 'untrusted'; readonly keyId?: string }
  | { readonly state: 'unsigned' };

/** The log of the run, when it is kept here. */
export type LogState =
  | { readonly state: 'matches' }
  | { readonly state: 'absent' }
  /** In these members of the scorecard. */
  | { readonly state: 'differs'; readonly members: readonly string[] }
  /** The store could not be read. */
  | { readonly state: 'unchecked'; readonly why: string };

export type Verification = {
  readonly file: string;
  readonly doubts: readonly Doubt[];
  /** Absent when the file could not be read far enough to know what it says. */
  readonly claims?: {
    readonly scorecard: Scorecard;
    readonly host: { readonly name: string; readonly version: string };
    readonly signer: Signer;
    readonly log: LogState;
  };
};

/** Columns of the labels. */
export const LABEL = 12;
const DOUBTS_SHOWN = 8;

/** The answer in one word, why, and what the file says. What is not believed is shown as a claim. */
export function renderVerification({ file, doubts, claims }: Verification, wide: Look): string {
  const look = readable(wide, 60);
  const { ink } = look;
  const verified = doubts.length === 0;
  const badge = verified ? ink.green(ink.bold(' VERIFIED ')) : ink.red(ink.bold(' NOT VERIFIED '));
  const parts = [
    [`  ${ink.inverse(badge)}  ${ink.bold(printable(file))}`],
    [
      ...doubts.slice(0, DOUBTS_SHOWN).flatMap(({ message }) => markedLines(ink.red('✗'), message, look)),
      ...restLines(doubts.length - DOUBTS_SHOWN, look, '', 4),
    ],
    doubts.flatMap(({ next }) => (next === undefined ? [] : [`  ${ink.cyan(next)}`])),
    ...(claims ? claimParts(claims, doubts, look) : []),
  ];
  return `\n${blocks(parts)}\n`;
}

const claimParts = (claims: Claims, doubts: readonly Doubt[], look: Look): string[][] => [
  [
    ...(doubts.length === 0 ? [] : [`  ${look.ink.dim('What the file claims:')}`]),
    ...rowLines(claimRows(claims, doubts), look, { label: LABEL }),
  ],
  noteLines([...logNotes(claims.log), ...caveatNotes(claims.scorecard)], look, look.ink.yellow),
];

type Claims = NonNullable<Verification['claims']>;

function claimRows({ scorecard, host, signer, log }: Claims, doubts: readonly Doubt[]): readonly Row[] {
  const holds = !doubts.some(({ code }) => code === 'contradictory');
  const at = scorecard.endedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
  return [
    ['agent', refOf(scorecard.agent)],
    ['suite', refOf(scorecard.suite)],
    ...resultRows(scorecard),
    ...modelRows(scorecard),
    ['run', scorecard.runId],
    ['ended', `${at}, on ${host.name} ${host.version}`],
    ['signature', signerText(signer)],
    ['summary', holds ? 'follows from the results' : 'does not follow from the results'],
    ['log', LOG_WORDS[log.state]],
  ];
}

/** The one verdict on the run of a scorecard. */
const verdictOfCard = ({ summary, results, ...card }: Scorecard): ContractVerdict =>
  verdictOn({ ...card, passed: summary.passed, unscored: unscoredIn(results) });

const unscoredIn = (results: Scorecard['results']): number =>
  results.filter((result) => result.unscored).length;

/** The verdict, and under a contract who has said what. */
export const resultRows = (card: Scorecard): readonly Row[] => [
  ['result', resultText(card)],
  ['contract', card.contractVerdict && keptWords(card.contractVerdict, card.summary.passed)],
];

const WORDS: { readonly [verdict in ContractVerdict]: string } = {
  pass: 'PASS',
  fail: 'FAIL',
  error: 'NOT JUDGED',
};

/** `PASS · score 0.93 · 38 of 40 tasks passed` */
function resultText(card: Scorecard): string {
  const { summary } = card;
  const unscored = unscoredIn(card.results);
  const word = WORDS[verdictOfCard(card)];
  const passed = `${whole(summary.passedCount)} of ${plural(summary.taskCount, 'task')} passed`;
  const open = unscored > 0 ? ` · ${whole(unscored)} unscored` : '';
  const reached = unscored > 0 ? '' : ` · score ${score(summary.aggregateScore)}`;
  return `${word}${reached} · ${passed}${open}`;
}

function signerText(signer: Signer): string {
  if (signer.state === 'trusted') return `by ${signer.keyId}, trusted by ${signer.from}`;
  if (signer.state === 'unsigned') return 'none';
  return `by ${signer.keyId ?? 'a key without a name'}, which is not trusted here`;
}

const LOG_WORDS: { readonly [state in LogState['state']]: string } = {
  matches: 'matches: the run is kept here, and gives this scorecard',
  differs: 'differs: the run is kept here, and gives another scorecard',
  unchecked: 'could not be checked (the store cannot be read)',
  absent: 'not here, so it was not compared',
};

const logNotes = (log: LogState): readonly string[] =>
  log.state === 'unchecked' ? [`The log of the run could not be checked: ${log.why}`] : [];

/** What a reader has to know before taking the score for more than it is. */
export function caveatNotes({ caveats = {}, results, totalTasks, ...card }: Scorecard): readonly string[] {
  const { rejudgeOf, forkOf, cacheHits = 0, mock, targetMismatch, nondeterministic } = caveats;
  const { codeScorer, recorded } = caveats;
  const notes = [
    ...(results.length < totalTasks
      ? [`Only ${whole(results.length)} of the ${plural(totalTasks, 'task')} of the suite were run.`]
      : []),
    ...(rejudgeOf ? [`The answers are those of run ${rejudgeOf}, judged again.`] : []),
    ...(forkOf ? [`It is a fork: it begins with the history of run ${forkOf}.`] : []),
    ...(mock ? ['A scripted model or judge took part: what it says was written down beforehand.'] : []),
    ...(cacheHits > 0 ? [`${plural(cacheHits, 'model call')} came from the cache.`] : []),
    ...(targetMismatch ? ['The suite was made for another agent.'] : []),
    ...(nondeterministic ? ['Live tools and memory were used: scores may differ next time.'] : []),
    ...(codeScorer ? [CAVEAT_WORDS.codeScorer] : []),
    ...(recorded ? [CAVEAT_WORDS.recorded] : []),
  ];
  return [
    ...(notes.length === 0 ? [] : [...notes, 'So this run is no evidence for a gate.']),
    ...(card.contract && !card.contractVerdict ? [CONTRACT_UNTOLD] : []),
  ];
}

/** Files of the first version of contracts. */
const CONTRACT_UNTOLD =
  'The file does not say whether the agent kept its contract: the result is that of the thresholds alone.';

/** The `--json` form of one file. */
export function verificationDocument({ file, doubts, claims }: Verification): object {
  const verified = doubts.length === 0;
  return {
    file,
    verified,
    exitCode: verified ? 0 : 1,
    reasons: doubts.map(({ code, message }) => ({ code, message })),
    ...(claims && claimsDocument(claims)),
  };
}

function claimsDocument({ scorecard, host, signer, log }: Claims): object {
  const { runId, agent, suite, summary, startedAt, endedAt, caveats, results, totalTasks } = scorecard;
  return {
    runId,
    agent,
    suite: { ref: refOf(suite), digest: suite.digest },
    score: summary.aggregateScore,
    ...verdictDocument(scorecard),
    tasks: { total: totalTasks, selected: results.length, passed: summary.passedCount },
    startedAt,
    endedAt,
    host,
    signature: signer,
    log: { ...log, ...scorecard.log },
    ...(caveats && { caveats }),
  };
}

/** `passed` is the word of the thresholds; under a contract its own stands beside it, and `verdict` is what both come to. */
export const verdictDocument = (card: Scorecard): object => ({
  passed: card.summary.passed,
  ...(card.contract && { contract: { digest: card.contract, verdict: card.contractVerdict } }),
  verdict: verdictOfCard(card),
});
