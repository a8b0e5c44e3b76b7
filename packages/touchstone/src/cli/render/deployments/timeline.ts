import type { EvalReport } from '@touchstone/protocol';
import {
  type ApprovalRound,
  demandOf,
  describeRequest,
  duration,
  evidenceWords,
  grantsOf,
  movedWords,
  NOT_FOLLOWED,
  saidWords,
  type Timeline,
  whole,
} from '@touchstone/sdk/view';
import { type DeploymentRun, outcomeOf } from '../../verbs/deployments/transitions.js';
import { type Row, readable, rowLines } from '../layout.js';
import { type Look, printable } from '../text.js';

const LABEL = 10;
const TIME = 21;

const WORDS = {
  moved: ['MOVED', 'green'],
  waiting: ['WAITING', 'yellow'],
  expired: ['EXPIRED', 'red'],
  refused: ['REFUSED', 'red'],
} as const;

/** What has become of it; waiting for an answer that would come too late is waiting no longer. */
function stateOf(run: DeploymentRun): keyof typeof WORDS {
  const { outcome } = outcomeOf(run);
  return outcome === 'waiting' && run.expired ? 'expired' : outcome;
}

/** Who asked for what, who agreed, what moved, or why nothing did; in the order in which it happened. */
export function renderTimeline(
  run: DeploymentRun,
  story: Timeline,
  next: string | undefined,
  look: Look,
): string {
  const { ink } = look;
  const state = stateOf(run);
  const [word, paint] = WORDS[state];
  const title = `  ${ink[paint](ink.bold(word))}  ${printable(describeRequest(run.agentId, run.request))}`;
  const rows = timelineLines(run, story).map(([at, text]): Row => [momentOf(at), text]);
  const lines = rowLines(rows, readable(look), { label: TIME, wraps: true });
  const more = state === 'waiting' && next !== undefined ? ['', `  ${next}`] : [];
  return `\n${[title, `  ${ink.dim(`run ${run.runId}`)}`, '', ...lines, ...more].join('\n')}\n`;
}

type Line = readonly [at: string, text: string];

function timelineLines({ error, status, request, expired }: DeploymentRun, story: Timeline): readonly Line[] {
  const { asked, rounds, moved, endedAt = '' } = story;
  const why = request.reason === undefined ? '' : ` Reason: ${request.reason}`;
  const opening: readonly Line[] = asked
    ? [[asked.at, `${asked.by} asked for it${asked.allowed ? '' : ' and may not'} (${asked.action}).${why}`]]
    : [];
  const ended: readonly Line[] = error
    ? [[endedAt, `Refused (${error.code}): ${error.message}`]]
    : status === 'cancelled'
      ? [[endedAt, 'Cancelled. Nothing was moved.']]
      : expired
        ? [[rounds.at(-1)?.deadline ?? '', 'Nobody answered in time, which is a no. Nothing was moved.']]
        : [];
  const proof: readonly Line[] =
    moved.length > 0 && request.evalRunId !== undefined
      ? [[endedAt, `The evidence is run ${request.evalRunId}.`]]
      : [];
  return [
    ...opening,
    ...rounds.flatMap(roundLines),
    ...moved.map((one): Line => [one.at, movedWords(one)]),
    ...proof,
    ...ended,
  ];
}

const roundLines = (round: ApprovalRound): readonly Line[] => [
  [round.at, `Gate ${round.gateId} asks for ${demandOf(round)}.`],
  ...round.said.map((said): Line => [said.at, saidWords(said)]),
];

const momentOf = (at: string): string => at.slice(0, 19).replace('T', ' ');

/** What an approver is asked to grant: which move, requested by whom, on which evidence, with which grants so far. */
export function renderQuestion(
  run: DeploymentRun,
  round: ApprovalRound,
  report: EvalReport | undefined,
  now: number,
  look: Look,
): string {
  const { principal = 'somebody', request } = run;
  const grants = grantsOf(round);
  const others = barsRequester(run, round) ? ', not by whoever asked' : '';
  const facts: readonly Row[] = [
    ['asked by', principal],
    ['reason', request.reason],
    ['gate', `${round.gateId}: ${demandOf(round)}${others}`],
    ['so far', grants.length === 0 ? 'nobody' : `${whole(grants.length)}: ${grants.join(', ')}`],
    ['evidence', evidenceWords(request.evalRunId, report)],
    ['warning', run.filesNotFollowed && NOT_FOLLOWED],
    ['deadline', round.deadline && deadlineWords(round.deadline, now)],
  ];
  const lines = rowLines(facts, readable(look), { indent: 4, label: LABEL, wraps: true });
  return `${[`  ${look.ink.bold(printable(describeRequest(run.agentId, request)))}`, ...lines].join('\n')}\n`;
}

/** Older logs do not say so in the question; then the run may know. */
const barsRequester = (run: DeploymentRun, round: ApprovalRound): boolean =>
  round.barsRequester ?? run.barsRequester?.includes(round.gateId) ?? false;

function deadlineWords(deadline: string, now: number): string {
  const left = Date.parse(deadline) - now;
  return left > 0 ? `in ${duration(left)}; silence is a no` : 'over';
}

/** The `--json` form of a run that moves a deployment. */
export function timelineDocument(run: DeploymentRun, story: Timeline): object {
  const { runId, status, agentId, request, error } = run;
  const { asked, rounds, moved } = story;
  return {
    runId,
    status,
    outcome: stateOf(run),
    agentId,
    request,
    ...(asked && { asked }),
    approvals: rounds.map(({ isOpen, ...round }) => ({ ...round, open: isOpen })),
    moved: moved.map(({ type, at, payload }) => ({ type, at, ...payload })),
    ...(error && { error }),
  };
}
