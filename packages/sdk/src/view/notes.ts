import type { AccessDenial, Caveat, Fork } from '@touchstone/protocol';
import { confirmationWords } from './confirmation.js';
import { failOnWords, newlyFailing } from './fail-on.js';
import type { JudgeFacts, RunView } from './run-view.js';
import { whyNot } from './tasks.js';
import { plural, usd } from './units.js';
import { outcomeOf } from './verdict.js';

/** How a run hangs together with another one, as the end of a sentence; of a scorecard only that it does is known. */
export function forkWords({ source, mode, fromSeq }: Pick<Fork, 'source'> & Partial<Fork>): string {
  if (mode === 'replay') return `a replay of run ${source}: the same facts again.`;
  if (mode === undefined) return `a fork of run ${source}: it begins with its history.`;
  return `a branch of run ${source} from event ${fromSeq}${fromSeq === 0 ? ': all of it was run anew' : ''}.`;
}

/** The same as a sentence. */
export const forkNote = (fork: Fork): string => forkWords(fork).replace(/^a/, 'A');

/** What stands beside the state of a run in a list. */
export const forkMark = (fork: Fork | undefined): string => (fork ? ` (${fork.mode})` : '');

/** `local/small-1`, and whether its answers were written down beforehand. */
export const modelName = ({ provider, model, mock }: NonNullable<RunView['model']>): string =>
  `${provider}/${model}${mock ? ' (mock)' : ''}`;

/** `local/judge-1, 3 votes`. */
export const judgeName = (judge: JudgeFacts): string =>
  `${judge.portable === undefined ? '' : `${judge.portable} by `}${modelName(judge)}${judge.votes > 1 ? `, ${plural(judge.votes, 'vote')}` : ''}`;

/** What a reader has to know before taking the score for more than it is. */
export const notesOf = (result: RunView): readonly string[] => [
  ...confirmationWords(result),
  ...failOnWords(result),
  ...newsHint(result),
  ...(result.uncompared === undefined ? [] : [`Not compared with a baseline. ${result.uncompared}`]),
  ...(result.fork ? [forkNote(result.fork)] : []),
  ...(result.rejudgeOf ? [`The answers are those of run ${result.rejudgeOf}, judged again.`] : []),
  ...(result.bodiesRemovedAt ? [removedNote(result.bodiesRemovedAt)] : []),
  ...(result.judge?.mock || result.safetyJudge?.mock
    ? ['The judge is a scripted one: its verdicts were written down beforehand and are evidence of nothing.']
    : []),
  ...(result.simulatedUser?.mock
    ? [
        'The user is a scripted one: what it says was written down beforehand, and answers to it are no evidence.',
      ]
    : []),
  ...(result.filesNotFollowed ? [NOT_FOLLOWED] : []),
  ...(result.caveats ?? []).map((caveat) => `${CAVEAT_WORDS[caveat]} This run is no evidence for a gate.`),
  ...(result.nondeterministic ? ['Live tools and memory were used: scores may differ next time.'] : []),
  ...((result.cacheHits ?? 0) > 0
    ? [
        `${plural(result.cacheHits ?? 0, 'model call')} came from the cache: this run is no evidence for a gate.`,
      ]
    : []),
];

/** What a caveat means to a reader. */
export const CAVEAT_WORDS: { readonly [C in Caveat]: string } = {
  codeScorer:
    'A scorer decided criteria, and its entry in the configuration does not let it count for a gate.',
  recorded: 'The answers came in a file, and no agent was invoked.',
  inProcess: 'The agent or a scorer is a function of the program that evaluates it, and has no digest.',
};

/** Tasks that newly fail are news also where they do not decide. */
function newsHint(result: RunView): readonly string[] {
  const news = newlyFailing(result);
  if (news === undefined || result.failOn || outcomeOf(result) !== 'passed') return [];
  return [`${news}; --fail-on newly-failing makes this red.`];
}

/** What to do about a digest that may not cover the whole agent. */
export const NOT_FOLLOWED =
  'The program of this agent may use files that its digest does not cover: a change of them would not be noticed. List them in "files" of its entry; "touchstone doctor" names what it finds.';

/** Why there are scores and no answers. */
export const removedNote = (bodiesRemovedAt: string): string =>
  `Its answers, tool calls and reasons were removed on ${bodiesRemovedAt.slice(0, 10)}; the scores stay.`;

/** Who did not let the host in, of a run that was denied all of its questions or some of them. */
const denialOf = ({ failures }: RunView): AccessDenial | undefined =>
  failures.find(({ denial }) => denial !== undefined)?.denial;

/** Why tasks have no score although the run has ended, when a provider did not let the host in. */
export function deniedWords(result: RunView): string | undefined {
  const denied = result.failures.filter(({ denial }) => denial !== undefined);
  const [first] = denied;
  if (result.error || !first) return undefined;
  return `${plural(denied.length, 'task')} without a score: ${whyNot(first)}.`;
}

/** Only the judge was out of reach: the answers are there, and asking for them again would cost once more. */
const hasAnswers = ({ failures }: RunView): boolean =>
  failures.every(({ unscored }) => unscored === undefined || unscored.startsWith('judge_'));

/** What to do about it. */
export function denialHint(result: RunView): string | undefined {
  const denial = denialOf(result);
  if (!denial) return undefined;
  const { status, provider, keyEnv } = denial;
  const again = hasAnswers(result)
    ? 'judge the recorded answers again with "touchstone rejudge"'
    : 'run it again';
  // An agent that is asked directly stands for its own provider, and has no model that could be misspelt.
  const isAgent = String(provider) === String(result.agent.agentId);
  if (status === 404)
    return `Check ${isAgent ? '' : 'the name of the model and '}the address of ${provider}, then ${again}.`;
  if (status === 402 || status === 429)
    return `Add credit or raise the limit of the account at ${provider}, then ${again}.`;
  const where = keyEnv === undefined ? `the key for ${provider}` : `the key in ${keyEnv}`;
  return `Check ${where} and what it may do, then ${again}. The agent has not been judged.`;
}

/** An agent that reports no model calls has no known cost, which is not a cost of nothing. */
export function costTexts({
  costUsd,
  judgeUsd,
  simulatedUserUsd,
  unpriced,
}: Pick<RunView, 'costUsd' | 'judgeUsd' | 'simulatedUserUsd' | 'unpriced'>): readonly string[] {
  const shares = [
    ...(judgeUsd === undefined ? [] : [`judge ${usd(judgeUsd)}`]),
    ...(simulatedUserUsd === undefined ? [] : [`simulated user ${usd(simulatedUserUsd)}`]),
  ];
  const ofIt = shares.length === 0 ? '' : ` (${shares.join(', ')})`;
  const known = costUsd === undefined ? [] : [`${usd(costUsd)}${ofIt}`];
  const unknown = unpriced > 0 ? [`${plural(unpriced, 'call')} of unknown price`] : [];
  return known.length + unknown.length > 0 ? [[...known, ...unknown].join(' and ')] : [];
}
