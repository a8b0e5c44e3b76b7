import { type ContractVerdict, type Scorecard, verdictOn } from '@touchstone/protocol';
import { judgeName, keptWords, modelName, plural, score, whole } from '@touchstone/sdk/view';
import { blocks, type Ink, type Look, printable, truncate, wrap } from './text.js';

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

type Row = readonly [label: string, text: string];

const MAX_WIDTH = 100;
const LABEL = 12;
const DOUBTS_SHOWN = 8;

/** The answer in one word, why, and what the file says. What is not believed is shown as a claim. */
export function renderVerification(verification: Verification, look: Look): string {
  const { ink } = look;
  const width = Math.max(60, Math.min(look.width, MAX_WIDTH));
  const { file, doubts, claims } = verification;
  const verified = doubts.length === 0;
  const badge = verified ? ink.green(ink.bold(' VERIFIED ')) : ink.red(ink.bold(' NOT VERIFIED '));
  const parts = [
    [`  ${ink.inverse(badge)}  ${ink.bold(printable(file))}`],
    doubtLines(doubts, ink, width),
    doubts.flatMap(({ next }) => (next === undefined ? [] : [`  ${ink.cyan(next)}`])),
    claims
      ? [
          ...(verified ? [] : [`  ${ink.dim('What the file claims:')}`]),
          ...rowLines(claimRows(claims, doubts), ink, width),
        ]
      : [],
    claims ? noteLines([...logNotes(claims.log), ...caveatNotes(claims.scorecard)], ink, width) : [],
  ];
  return `\n${blocks(parts)}\n`;
}

function doubtLines(doubts: readonly Doubt[], ink: Ink, width: number): string[] {
  const lines = doubts
    .slice(0, DOUBTS_SHOWN)
    .flatMap(({ message }) =>
      wrap(printable(message), width - 4).map((line, at) => `  ${at === 0 ? ink.red('✗') : ' '} ${line}`),
    );
  const more = doubts.length - DOUBTS_SHOWN;
  return more > 0 ? [...lines, `    ${ink.dim(`… and ${whole(more)} more`)}`] : lines;
}

type Claims = NonNullable<Verification['claims']>;

function claimRows({ scorecard, host, signer, log }: Claims, doubts: readonly Doubt[]): readonly Row[] {
  const holds = !doubts.some(({ code }) => code === 'contradictory');
  const { model, judge, safetyJudge, runId, endedAt } = scorecard;
  const at = endedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
  return [
    ['agent', `${scorecard.agent.agentId}@${scorecard.agent.version}`],
    ['suite', `${scorecard.suite.suiteId}@${scorecard.suite.version}`],
    ...resultRows(scorecard),
    ...(model ? [['model', modelName(model)] as const] : []),
    ...(judge ? [['judge', judgeName(judge)] as const] : []),
    ...(safetyJudge ? [['judge', `${judgeName(safetyJudge)}, for safety`] as const] : []),
    ['run', runId],
    ['ended', `${at}, on ${host.name} ${host.version}`],
    ['signature', signerText(signer)],
    ['summary', holds ? 'follows from the results' : 'does not follow from the results'],
    ['log', logText(log)],
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
  ...(card.contractVerdict
    ? [['contract', keptWords(card.contractVerdict, card.summary.passed)] as const]
    : []),
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
  return `${word} · score ${score(summary.aggregateScore)} · ${passed}${open}`;
}

function signerText(signer: Signer): string {
  if (signer.state === 'trusted') return `by ${signer.keyId}, trusted by ${signer.from}`;
  if (signer.state === 'unsigned') return 'none';
  return `by ${signer.keyId ?? 'a key without a name'}, which is not trusted here`;
}

function logText(log: LogState): string {
  switch (log.state) {
    case 'matches':
      return 'matches: the run is kept here, and gives this scorecard';
    case 'differs':
      return 'differs: the run is kept here, and gives another scorecard';
    case 'unchecked':
      return 'could not be checked (the store cannot be read)';
    default:
      return 'not here, so it was not compared';
  }
}

const logNotes = (log: LogState): readonly string[] =>
  log.state === 'unchecked' ? [`The log of the run could not be checked: ${log.why}`] : [];

export const rowLines = (rows: readonly Row[], ink: Ink, width: number): string[] =>
  rows.map(([label, text]) => {
    const cut = truncate(printable(text), Math.max(20, width - LABEL - 2));
    return `  ${ink.dim(label.padEnd(LABEL))}${cut}`;
  });

export const noteLines = (notes: readonly string[], ink: Ink, width: number): string[] =>
  notes.flatMap((note) => wrap(printable(note), width - 2).map((line) => `  ${ink.yellow(line)}`));

/** What a reader has to know before taking the score for more than it is. */
export function caveatNotes({ caveats = {}, results, totalTasks, ...card }: Scorecard): readonly string[] {
  const { rejudgeOf, forkOf, cacheHits = 0, mock, targetMismatch, nondeterministic } = caveats;
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
    suite: { ref: `${suite.suiteId}@${suite.version}`, digest: suite.digest },
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
