import { type EvalReport, isHostError, isTerminal } from '@touchstone/protocol';
import { HostResponseError } from '@touchstone/sdk';
import type { ExitCode } from '../../exit.js';
import { noRun } from '../../find-run.js';
import { type Context, isColoured, writeJson } from '../../io.js';
import { commandToType } from '../../next-commands.js';
import { renderQuestion, storyDocument } from '../../render/deployments/deployment-story.js';
import { createInk, type Look } from '../../render/ink.js';
import { printable, wrap } from '../../render/text.js';
import { UsageError } from '../../usage-error.js';
import {
  type DeployDoor,
  type DeployRun,
  outcomeOf,
  type Refusal,
  type Vote,
  type Where,
  whereWords,
  withDoor,
} from './deploy-door.js';
import { grantsOf, openRound, type Round, type Story, storyOf } from './deploy-story.js';

export type ApproveOptions = Where & {
  readonly reject?: boolean;
  readonly override?: boolean;
  readonly withdraw?: boolean;
  readonly reason?: string;
};

type Answered = {
  readonly run: DeployRun;
  readonly story: Story;
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
  return withDoor(context, options, async (door) => {
    const run = await door.run(runId);
    if (!run)
      throw options.host === undefined ? noRun(runId) : new UsageError(`There is no run ${runId} there.`);
    const round = checkOpen(context, run, openRound(storyOf(await door.events(run.runId))), options);
    const report = run.request.evalRunId && (await door.report(run.request.evalRunId));
    if (!context.settings.json) tellQuestion(context, run, round, report || undefined);
    const answered = await answer(door, run, round, wanted);
    tellAnswer(context, answered, wanted, options);
    return answered.refused ? 1 : 0;
  });
}

/** A vote, or that whoever has asked asks no longer. */
type Answer = Vote | { readonly decision: 'withdrawn'; readonly reason?: string };

function answerOf(options: ApproveOptions): Answer {
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

function checkOpen(context: Context, run: DeployRun, round: Round | undefined, where: Where): Round {
  if (round && run.waitingNode !== undefined && !isTerminal(run.status)) return round;
  const see =
    where.host === undefined
      ? commandToType(context, `show ${run.runId}`)
      : commandToType(context, ['deployments', run.agentId, ...whereWords(where)].join(' '));
  throw new UsageError(`Run ${run.runId} is ${run.status} and asks for nothing.`, `See: ${see}`);
}

const lookOf = (context: Context): Look => {
  const { stdout } = context.io;
  return { ink: createInk(isColoured(context, stdout)), width: stdout.columns };
};

function tellQuestion(context: Context, run: DeployRun, round: Round, report: EvalReport | undefined): void {
  context.io.stdout.write(renderQuestion(run, round, report, context.io.now(), lookOf(context)));
}

const REFUSALS: readonly string[] = ['forbidden', 'interrupt_already_resolved', 'interrupt_cancelled'];

async function answer(door: DeployDoor, run: DeployRun, round: Round, wanted: Answer): Promise<Answered> {
  const given =
    wanted.decision === 'withdrawn'
      ? door.withdraw(run.runId, wanted.reason)
      : door.answer(run.runId, round.nodeId, wanted);
  const refused = await given.then(() => undefined, refusalOf);
  const after = (await door.run(run.runId)) ?? run;
  const story = storyOf(await door.events(run.runId));
  // The last yes lets it go on, and then it may still be that the evidence is gone or what serves has changed.
  const why = refused ?? (wanted.decision === 'withdrawn' ? undefined : outcomeOf(after).error);
  return { run: after, story, ...(why && { refused: why }) };
}

function refusalOf(error: unknown): Refusal {
  const isRefusal = isHostError(error) || error instanceof HostResponseError;
  if (!isRefusal || !REFUSALS.includes(error.code)) throw error;
  const { code, message, details } = error;
  return { code, message, ...(details && { details }) };
}

function tellAnswer(
  context: Context,
  { run, story, refused }: Answered,
  wanted: Answer,
  { host }: Where,
): void {
  const { io, settings } = context;
  if (settings.json) {
    const said = 'override' in wanted ? 'overridden' : wanted.decision;
    writeJson(io, {
      exitCode: refused ? 1 : 0,
      answer: said,
      ...storyDocument(run, story),
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

function answerWords(run: DeployRun, story: Story, wanted: Answer): string {
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
