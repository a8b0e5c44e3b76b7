import { type EvalReport, isTerminal } from '@touchstone/protocol';
import { HostResponseError } from '@touchstone/sdk';
import { type Context, type ExitCode, lookOf, UsageError, writeJson } from '../../io.js';
import { renderQuestion, timelineDocument } from '../../render/deployments/timeline.js';
import { printable, wrap } from '../../render/text.js';
import { noRun } from '../../run-lookup.js';
import { commandToType, type Session, type Where, withSession } from '../../session.js';
import { type ApprovalRound, grantsOf, openRound, type Timeline, timelineOf } from './timeline.js';
import {
  type DeploymentRun,
  findDeploymentRun,
  outcomeOf,
  type Refusal,
  readEvents,
  readEvidence,
  withdraw,
} from './transitions.js';

type ApproveOptions = Where & {
  readonly reject?: boolean;
  readonly override?: boolean;
  readonly withdraw?: boolean;
  readonly reason?: string;
};

type DecisionResult = {
  readonly run: DeploymentRun;
  readonly story: Timeline;
  /** Why the answer, or what it was to release, was not let. */
  readonly refused?: Refusal;
};

/** Answers the question that a deployment waits on, after showing what it is about. */
export async function approveCommand(
  context: Context,
  runId: string,
  options: ApproveOptions,
): Promise<ExitCode> {
  const wanted = answerOf(options);
  return withSession(context, options, 'work', async (session) => {
    const { client } = session;
    const run = await findDeploymentRun(session, runId);
    if (!run)
      throw options.host === undefined ? noRun(runId) : new UsageError(`There is no run ${runId} there.`);
    const round = checkOpen(
      context,
      run,
      openRound(timelineOf(await readEvents(client, run.runId))),
      options,
    );
    const report = run.request.evalRunId && (await readEvidence(client, run.request.evalRunId));
    if (!context.settings.json) tellQuestion(context, run, round, report || undefined);
    const answered = await answer(session, run, round, wanted);
    tellAnswer(context, answered, wanted, options);
    return answered.refused ? 1 : 0;
  });
}

/** A vote of an approver, or the end of a request by its requester. */
type Vote = {
  readonly decision: 'granted' | 'rejected';
  readonly override?: true;
  readonly reason?: string;
};
type Decision = Vote | { readonly decision: 'withdrawn'; readonly reason?: string };

function answerOf(options: ApproveOptions): Decision {
  const { reject, override, withdraw, reason } = options;
  if (!withdraw) return voteOf(options);
  if (reject || override)
    throw new UsageError(
      `--withdraw and ${reject ? '--reject' : '--override'} contradict each other.`,
      'Leave one of them out.',
    );
  return { decision: 'withdrawn', ...(reason !== undefined && { reason }) };
}

function voteOf({ reject, override, reason }: ApproveOptions): Vote {
  if (reject && override)
    throw new UsageError('--reject and --override contradict each other.', 'Leave one of them out.');
  if (override && !reason?.trim())
    throw new UsageError(
      '--override needs --reason: whoever passes a gate over says why.',
      'For example: --reason "the outage ends with this version"',
    );
  return {
    decision: reject ? 'rejected' : 'granted',
    ...(override && { override: true }),
    ...(reason !== undefined && { reason }),
  };
}

function checkOpen(
  context: Context,
  run: DeploymentRun,
  round: ApprovalRound | undefined,
  where: Where,
): ApprovalRound {
  if (round && run.waitingNode !== undefined && !isTerminal(run.status)) return round;
  const see = commandToType(context, `show ${run.runId}`, where);
  throw new UsageError(`Run ${run.runId} is ${run.status} and asks for nothing.`, `See: ${see}`);
}

function tellQuestion(
  context: Context,
  run: DeploymentRun,
  round: ApprovalRound,
  report: EvalReport | undefined,
): void {
  context.io.stdout.write(renderQuestion(run, round, report, context.io.now(), lookOf(context)));
}

const REFUSALS: readonly string[] = ['forbidden', 'interrupt_already_resolved', 'interrupt_cancelled'];

async function answer(
  session: Session,
  run: DeploymentRun,
  round: ApprovalRound,
  wanted: Decision,
): Promise<DecisionResult> {
  const { client } = session;
  const given =
    wanted.decision === 'withdrawn'
      ? withdraw(session, run.runId, wanted.reason)
      : client.interrupts.resolve(run.runId, round.nodeId, wanted);
  const refused = await given.then(() => undefined, refusalOf);
  const after = (await findDeploymentRun(session, run.runId)) ?? run;
  const story = timelineOf(await readEvents(client, run.runId));
  // The last yes lets it go on, and then it may still be that the evidence is gone or what serves has changed.
  const why = refused ?? (wanted.decision === 'withdrawn' ? undefined : outcomeOf(after).error);
  return { run: after, story, ...(why && { refused: why }) };
}

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof HostResponseError) || !REFUSALS.includes(error.code)) throw error;
  const { code, message, details } = error;
  return { code, message, ...(details && { details }) };
}

function tellAnswer(
  context: Context,
  { run, story, refused }: DecisionResult,
  wanted: Decision,
  { host }: Where,
): void {
  const { io, settings } = context;
  if (settings.json) {
    const said = 'override' in wanted ? 'overridden' : wanted.decision;
    writeJson(io, {
      exitCode: refused ? 1 : 0,
      answer: said,
      ...timelineDocument(run, story),
      ...(refused && { error: refused }),
    });
    return;
  }
  const { ink, width } = lookOf(context);
  const text = refused
    ? [refused.message, ...(host === undefined && run.status === 'waiting-approval' ? [ALONE] : [])].join(' ')
    : answerWords(run, story, wanted);
  const [first = '', ...rest] = wrap(printable(text), Math.min(width, 100) - 4);
  const mark = refused ? ink.red('✗') : ink.green('✓');
  io.stdout.write(`\n${[`  ${mark} ${first}`, ...rest.map((line) => `    ${line}`)].join('\n')}\n`);
}

const ALONE =
  'Everyone at this machine is the same principal, cli: somebody else answers on a host, with a key of their own (--host <url>).';

function answerWords(run: DeploymentRun, story: Timeline, wanted: Decision): string {
  const { decision } = wanted;
  if (decision === 'withdrawn') return 'Withdrawn. Nobody is asked any longer, and nothing was moved.';
  if (decision === 'rejected')
    return 'Rejected. The question is asked anew, and every grant has to be given again.';
  const said = 'override' in wanted ? 'Overridden' : 'Granted';
  const round = openRound(story);
  if (!round) return `${said}. ${run.status === 'completed' ? 'It has moved.' : `The run is ${run.status}.`}`;
  const missing = round.required - grantsOf(round).length;
  return grantsOf(round).length === 0
    ? `${said}. Now gate ${round.gateId} asks.`
    : `${said}. ${missing} more ${missing === 1 ? 'is' : 'are'} needed.`;
}
