import { defined, isTerminal } from '@touchstone/protocol';
import type { Client, RunEvent, RunSnapshot } from '@touchstone/sdk';
import { plural, whole } from '@touchstone/sdk/view';
import { type Context, type ExitCode, UsageError, writeJson, writeLine, writeResult } from '../../io.js';
import { type Divergence, type Replayed, renderReplayed, replayedDocument } from '../../render/replayed.js';
import { documentOf } from '../../render/run/document.js';
import { shell } from '../../render/shell.js';
import { asEvalRun, eventPages, findRun, stateOf } from '../../run-lookup.js';
import { commandToType, type Session, type Where, withKeptRun } from '../../session.js';
import { finishRun } from './attempts.js';
import { createBranch } from './branch-run.js';
import { tellResult } from './report.js';
import { exitOf } from './result.js';
import { driverOf } from './run-driver.js';
import type { RunOptions } from './run-options.js';

type Overlay = Pick<RunOptions, 'model' | 'concurrency' | 'timeout' | 'budget' | 'allowUnpriced' | 'cache'>;
type ReplayOptions = Overlay &
  Pick<RunOptions, 'bodies'> &
  Where & { readonly branch?: boolean; readonly from?: number };

export async function replayCommand(
  context: Context,
  wanted: string,
  options: ReplayOptions,
): Promise<ExitCode> {
  checkOptions(wanted, options);
  // A replay asks no agent and no model, so it needs nothing of the configuration; a branch is a run like any other.
  return withKeptRun(context, options, options.branch ? 'work' : 'store', wanted, (session) =>
    options.branch ? runBranch(context, session, wanted, options) : runReplay(context, session, wanted),
  );
}

function checkOptions(wanted: string, options: ReplayOptions): void {
  const { branch, from, bodies: _, host: __, keyEnv: ___, ...overlay } = options;
  if (branch && from === undefined)
    throw new UsageError(
      '--branch needs --from: the event where the new run leaves the old one.',
      `--from 0 runs everything anew. See the events with: touchstone show ${wanted} --events`,
    );
  if (branch) return;
  const [stray] = Object.keys({ ...(from !== undefined && { from }), ...overlay });
  if (stray === undefined) return;
  throw new UsageError(
    `--${stray} changes the run, and a replay repeats what is recorded.`,
    `Add --branch --from <seq> to run on from a point, or leave --${stray} out.`,
  );
}

async function runReplay(context: Context, session: Session, wanted: string): Promise<ExitCode> {
  const { client, where } = session;
  const source = await findRun(client, wanted);
  checkEnded(context, where, source);
  const driver = driverOf(context.io, session);
  const runId = await driver.fork(source.runId, { mode: 'replay', fromSeq: 0 });
  const { interrupted } = await driver.follow(runId);
  const replay = await client.runs.get(runId);
  if (interrupted && !isTerminal(replay.status)) return tellInterrupted(context, where, source, replay);
  const replayed = await compare(client, source, replay);
  tell(context, where, replayed);
  return replayed.exitCode;
}

function checkEnded(context: Context, where: Where, run: RunSnapshot): void {
  const { runId, status } = run;
  if (isTerminal(status)) return;
  // No run of a deployment can be replayed, and that is for the fork to say.
  if (run.touchstone?.kind === 'deployment') return;
  throw new UsageError(
    `Run ${runId} is ${stateOf(run)}; it can be replayed when it has ended.`,
    `Finish it with: ${commandToType(context, shell`run --resume ${runId}`, where)}`,
  );
}

const eventsOf = ({ touchstone }: RunSnapshot): number => touchstone?.eventCount ?? 0;

function tellInterrupted(context: Context, where: Where, source: RunSnapshot, replay: RunSnapshot): ExitCode {
  const { io, settings } = context;
  const done = `${whole(eventsOf(replay))} of ${plural(eventsOf(source), 'event')}`;
  writeLine(io.stderr, `Interrupted: ${done} were replayed.`);
  writeLine(io.stderr, `Start again with: ${commandToType(context, shell`replay ${source.runId}`, where)}`);
  if (settings.json) writeJson(io, { runId: replay.runId, sourceRunId: source.runId, exitCode: 130 });
  return 130;
}

async function compare(client: Client, source: RunSnapshot, replay: RunSnapshot): Promise<Replayed> {
  const { eventDiffs, stateDiff, truncated } = await client.runs.diff(source.runId, replay.runId);
  const divergences = await readDivergences(client, source, replay);
  const differences = eventDiffs.map(({ seq, op, aEvent, bEvent }) => ({
    ...placeOf(seq, (aEvent ?? bEvent) as RunEvent | undefined),
    op,
  }));
  const identical = divergences.length + differences.length + Object.keys(stateDiff).length === 0;
  // It could not be gone through to its end, so nothing can be said of the rest.
  const failed = replay.error && !source.error ? replay.error : undefined;
  return {
    source: source.runId,
    replay: replay.runId,
    events: eventsOf(source),
    divergences,
    differences,
    ...(truncated && { more: true }),
    ...(failed && { failed: failed as NonNullable<Replayed['failed']> }),
    exitCode: failed ? 3 : identical ? 0 : 1,
  };
}

/** Where folding the history gave something else: the events of the source that the notes in the replay are about. */
async function readDivergences(
  client: Client,
  { runId: source }: RunSnapshot,
  replay: RunSnapshot,
): Promise<readonly Divergence[]> {
  const found: Divergence[] = [];
  for await (const page of eventPages(client, replay)) {
    for (const { type, payload } of page) {
      if (type !== 'replay.diverged' || payload.sourceRunId !== source) continue;
      const sequence = Number(payload.atSequence);
      const before = sequence > 0 ? { after: sequence - 1 } : {};
      const { events } = await client.pollEvents(source, { ...before, timeoutSeconds: 1 });
      found.push(placeOf(sequence, events[0]));
    }
  }
  return found;
}

const placeOf = (sequence: number, event: RunEvent | undefined): Divergence =>
  defined({ sequence, type: event?.type, nodeId: event?.nodeId });

function tell(context: Context, where: Where, replayed: Replayed): void {
  const next = commandToType(context, shell`show ${replayed.source} --events`, where);
  writeResult(context, replayedDocument(replayed), (look) => renderReplayed(replayed, next, look));
}

async function runBranch(
  context: Context,
  session: Session,
  wanted: string,
  { from = 0, ...options }: ReplayOptions,
): Promise<ExitCode> {
  const driver = driverOf(context.io, session);
  const source = asEvalRun(await findRun(session.client, wanted));
  const runId = await createBranch(context, session, driver, source, from, options);
  const result = await finishRun(context, session, driver, runId, options);
  tellResult(context, result, options);
  if (context.settings.json) writeJson(context.io, documentOf(result));
  return exitOf(result);
}
