import { defined, isTerminal } from '@touchstone/protocol';
import {
  type ApprovalRound,
  grantsOf,
  openRound,
  type Timeline,
  timelineOf,
  WITHDRAWN,
} from '@touchstone/sdk/view';
import {
  type Context,
  checkRules,
  type ExitCode,
  firstGiven,
  lookOf,
  type OptionRule,
  UsageError,
  writeResult,
} from '../../io.js';
import { renderQuestion, timelineDocument } from '../../render/deployments/timeline.js';
import { shell } from '../../render/shell.js';
import { type Look, printable, wrap } from '../../render/text.js';
import { noRun } from '../../run-lookup.js';
import { commandToType, type Session, type Where, withSession } from '../../session.js';

import {
  type DeploymentRun,
  findDeploymentRun,
  outcomeOf,
  type Refusal,
  readEvents,
  readEvidence,
  refusalOf,
  withdraw,
} from './transitions.js';

type ApproveOptions = Where & {
  readonly reject?: boolean;
  readonly override?: boolean;
  readonly withdraw?: boolean;
  readonly reason?: string;
};

const LEAVE_ONE = 'Leave one of them out.';
const RULES: readonly OptionRule<ApproveOptions>[] = [
  {
    wrong: ({ withdraw, reject, override }) =>
      withdraw && firstGiven({ '--reject': reject, '--override': override }),
    message: '--withdraw and % contradict each other.',
    hint: LEAVE_ONE,
  },
  {
    wrong: ({ reject, override }) => reject && override && '--override',
    message: '--reject and % contradict each other.',
    hint: LEAVE_ONE,
  },
  {
    wrong: ({ override, reason }) => override && !reason?.trim() && '--override',
    message: '% needs --reason: whoever passes a gate over says why.',
    hint: 'For example: --reason "the outage ends with this version"',
  },
];

/** A vote of an approver, or the end of a request by its requester. */
type Decision = {
  readonly decision: 'granted' | 'rejected' | 'withdrawn';
  readonly override?: boolean;
  readonly reason?: string;
};

/** `last` is the last one that can be answered. */
async function lastWaiting({ client }: Session): Promise<string> {
  const { items } = await client.runs.list({ status: 'waiting-approval', limit: 1 });
  if (items[0]) return items[0].runId;
  throw new UsageError(
    'No deployment waits for approval here.',
    'See what serves with: touchstone deployments <agentId>',
  );
}

/** Answers the question that a deployment waits on, after showing what it is about. */
export async function approveCommand(
  context: Context,
  runId: string,
  options: ApproveOptions,
): Promise<ExitCode> {
  checkRules(RULES, options);
  const { reject, withdraw, override, reason } = options;
  const decision = withdraw ? 'withdrawn' : reject ? 'rejected' : 'granted';
  const wanted: Decision = { decision, ...defined({ override, reason }) };
  return withSession(context, options, 'work', async (session) => {
    const { client } = session;
    const run = await findDeploymentRun(session, runId === 'last' ? await lastWaiting(session) : runId);
    if (!run) throw noRun(runId);
    const asked = openRound(timelineOf(await readEvents(client, run.runId)));
    const round = checkOpen(context, run, asked, options);
    const { evalRunId } = run.request;
    const report = evalRunId && (await readEvidence(client, evalRunId));
    const { io, settings } = context;
    if (!settings.json)
      io.stdout.write(renderQuestion(run, round, report || undefined, io.now(), lookOf(context)));
    const answered = await answer(session, run, round, wanted);
    const document = {
      exitCode: answered.refused ? 1 : 0,
      answer: override ? 'overridden' : decision,
      ...timelineDocument(answered.run, answered.story),
      ...(answered.refused && { error: answered.refused }),
    };
    writeResult(context, document, (look) => renderAnswer(answered, wanted, options.host, look));
    return answered.refused ? 1 : 0;
  });
}

function checkOpen(
  context: Context,
  run: DeploymentRun,
  round: ApprovalRound | undefined,
  where: Where,
): ApprovalRound {
  if (round && run.waitingNode !== undefined && !isTerminal(run.status)) return round;
  const see = commandToType(context, shell`show ${run.runId}`, where);
  throw new UsageError(`Run ${run.runId} is ${run.status} and asks for nothing.`, `See: ${see}`);
}

const REFUSALS = ['forbidden', 'interrupt_already_resolved', 'interrupt_cancelled'];

type DecisionResult = {
  readonly run: DeploymentRun;
  readonly story: Timeline;
  /** Why the answer, or what it was to release, was not let. */
  readonly refused?: Refusal;
};

async function answer(
  session: Session,
  run: DeploymentRun,
  round: ApprovalRound,
  { decision, ...words }: Decision,
): Promise<DecisionResult> {
  const { client } = session;
  const given =
    decision === 'withdrawn'
      ? withdraw(session, run.runId, words.reason)
      : client.interrupts.resolve(run.runId, round.nodeId, { decision, ...words });
  const refused = await given.then(
    () => undefined,
    (error: unknown) => refusalOf(error, REFUSALS),
  );
  const after = (await findDeploymentRun(session, run.runId)) ?? run;
  const story = timelineOf(await readEvents(client, run.runId));
  // The last yes lets it go on, and then it may still be that the evidence is gone or what serves has changed.
  const why = refused ?? (decision === 'withdrawn' ? undefined : outcomeOf(after).error);
  return { run: after, story, ...defined({ refused: why }) };
}

function renderAnswer(
  { run, story, refused }: DecisionResult,
  wanted: Decision,
  host: string | undefined,
  { ink, width }: Look,
): string {
  const alone = host === undefined && run.status === 'waiting-approval' ? ` ${ALONE}` : '';
  const text = refused ? `${refused.message}${alone}` : answerWords(run, story, wanted);
  const lines = wrap(printable(text), Math.min(width, 100) - 4).join('\n    ');
  return `\n  ${refused ? ink.red('✗') : ink.green('✓')} ${lines}\n`;
}

const ALONE =
  'Everyone at this machine is the same principal, cli: somebody else answers on a host, with a key of their own (--host <url>).';

function answerWords(run: DeploymentRun, story: Timeline, { decision, override }: Decision): string {
  if (decision === 'withdrawn') return WITHDRAWN;
  if (decision === 'rejected')
    return 'Rejected. The question is asked anew, and every grant has to be given again.';
  const said = override ? 'Overridden' : 'Granted';
  const round = openRound(story);
  if (!round) return `${said}. ${run.status === 'completed' ? 'It has moved.' : `The run is ${run.status}.`}`;
  const missing = round.required - grantsOf(round).length;
  return grantsOf(round).length === 0
    ? `${said}. Now gate ${round.gateId} asks.`
    : `${said}. ${missing} more ${missing === 1 ? 'is' : 'are'} needed.`;
}
