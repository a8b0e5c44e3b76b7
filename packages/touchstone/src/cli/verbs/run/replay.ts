import { isTerminal, type RunId } from '@touchstone/protocol';
import type { Payloads, RunEvent } from '@touchstone/protocol/bodies';
import type { Run } from '../../../ports/index.js';
import type { ExitCode } from '../../exit.js';
import { asEvalRun, findRun, noRun, stateOf } from '../../find-run.js';
import { type Context, isColoured, writeJson, writeLine } from '../../io.js';
import { hasStore, LOCAL_OWNER, LOCAL_PRINCIPAL, type Local, withLocal, withStore } from '../../local.js';
import { commandToType } from '../../next-commands.js';
import { createInk } from '../../render/ink.js';
import { type Divergence, type Replayed, renderReplayed, replayedDocument } from '../../render/replayed.js';
import { documentOf } from '../../render/run/document.js';
import { plural, whole } from '../../render/units.js';
import { UsageError } from '../../usage-error.js';
import { createBranch } from './branch-run.js';
import { driveRun } from './drive-run.js';
import { tellResult } from './report.js';
import { exitOf } from './result.js';
import { finishRun } from './run.js';
import type { RunOptions } from './run-options.js';

type Overlay = Pick<RunOptions, 'model' | 'concurrency' | 'timeout' | 'budget' | 'cache'>;
export type ReplayOptions = Overlay &
  Pick<RunOptions, 'bodies'> & { readonly branch?: boolean; readonly from?: number };

export async function replayCommand(
  context: Context,
  wanted: string,
  options: ReplayOptions,
): Promise<ExitCode> {
  const { branch, from, ...overlay } = options;
  checkOptions(wanted, options);
  if (!(await hasStore(context))) throw noRun(wanted);
  // A replay asks nobody, so it needs nothing of the configuration; a branch is a run like any other.
  return branch
    ? withLocal(context, (local) => runBranch(context, local, wanted, from ?? 0, overlay))
    : withStore(context, (local) => runReplay(context, local, wanted));
}

function checkOptions(wanted: string, { branch, from, bodies: _, ...overlay }: ReplayOptions): void {
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

async function runReplay(context: Context, local: Local, wanted: string): Promise<ExitCode> {
  const { touchstone } = local;
  const source = await findRun(touchstone, wanted);
  checkEnded(context, source);
  const asked = { mode: 'replay', fromSeq: 0 } as const;
  const quiet = { origin: 'cli', start: false } as const;
  const { runId } = await touchstone.fork(LOCAL_PRINCIPAL, source.runId, asked, quiet);
  const { interrupted } = await driveRun(context.io, local, runId);
  const replay = await findRun(touchstone, runId);
  if (interrupted && !isTerminal(replay.status)) return tellInterrupted(context, source, replay);
  const replayed = await compare(local, source, replay);
  tell(context, replayed);
  return replayed.exitCode;
}

function checkEnded(context: Context, run: Run): void {
  const { runId, status } = run;
  if (isTerminal(status)) return;
  // No run of a deployment can be replayed, and that is for the fork to say.
  if (run.plan.kind === 'deployment') return;
  throw new UsageError(
    `Run ${runId} is ${stateOf(run, context.io.now())}; it can be replayed when it has ended.`,
    `Finish it with: ${commandToType(context, `run --resume ${runId}`)}`,
  );
}

function tellInterrupted(context: Context, source: Run, replay: Run): ExitCode {
  const { io, settings } = context;
  const done = `${whole(replay.eventCount)} of ${plural(source.eventCount, 'event')}`;
  writeLine(io.stderr, `Interrupted: ${done} were replayed.`);
  writeLine(io.stderr, `Start again with: ${commandToType(context, `replay ${source.runId}`)}`);
  if (settings.json) writeJson(io, { runId: replay.runId, sourceRunId: source.runId, exitCode: 130 });
  return 130;
}

async function compare({ touchstone }: Local, source: Run, replay: Run): Promise<Replayed> {
  const { eventDiffs, stateDiff, truncated } = await touchstone.diff(LOCAL_OWNER, source.runId, replay.runId);
  const facts = { source: source.runId, replay: replay.runId, events: source.eventCount };
  const divergences = await readDivergences(touchstone, source, replay);
  const differences = eventDiffs.map(({ seq, op, aEvent, bEvent }) => ({
    ...placeOf(seq, (aEvent ?? bEvent) as RunEvent | undefined),
    op,
  }));
  const identical = divergences.length + differences.length + Object.keys(stateDiff).length === 0;
  // It could not be gone through to its end, so nothing can be said of the rest.
  const failed = replay.error && !source.error ? replay.error : undefined;
  return {
    ...facts,
    divergences,
    differences,
    ...(truncated && { more: true }),
    ...(failed && { failed }),
    exitCode: failed ? 3 : identical ? 0 : 1,
  };
}

const PAGE = 500;

/** Where folding the history gave something else: the events of the source that the notes in the replay are about. */
async function readDivergences(
  { store }: Local['touchstone'],
  source: Run,
  replay: Run,
): Promise<readonly Divergence[]> {
  const found: Divergence[] = [];
  for (let after = -1; ; ) {
    const page = await store.log.read(LOCAL_OWNER, replay.runId, after, PAGE);
    for (const { type, payload } of page) {
      if (type !== 'replay.diverged') continue;
      const { sourceRunId, atSequence } = payload as Payloads['replay.diverged'];
      if (sourceRunId === source.runId) found.push(await divergenceAt(store, source.runId, atSequence));
    }
    const last = page.at(-1);
    if (!last) return found;
    after = last.sequence;
  }
}

async function divergenceAt(
  { log }: Local['touchstone']['store'],
  source: RunId,
  sequence: number,
): Promise<Divergence> {
  const [event] = await log.read(LOCAL_OWNER, source, sequence - 1, 1);
  return placeOf(sequence, event);
}

const placeOf = (sequence: number, event: RunEvent | undefined): Divergence => ({
  sequence,
  ...(event && { type: event.type }),
  ...(event?.nodeId !== undefined && { nodeId: event.nodeId }),
});

function tell(context: Context, replayed: Replayed): void {
  const { io, settings } = context;
  if (settings.json) {
    writeJson(io, replayedDocument(replayed));
    return;
  }
  const look = { ink: createInk(isColoured(context, io.stdout)), width: io.stdout.columns };
  const next = commandToType(context, `show ${replayed.source} --events`);
  io.stdout.write(renderReplayed(replayed, next, look));
}

async function runBranch(
  context: Context,
  local: Local,
  wanted: string,
  fromSeq: number,
  options: Overlay & Pick<RunOptions, 'bodies'>,
): Promise<ExitCode> {
  const source = asEvalRun(await findRun(local.touchstone, wanted));
  const branch = await createBranch(context, local, source, fromSeq, options);
  const result = await finishRun(context, local, asEvalRun(branch), options);
  tellResult(context, result, options);
  if (context.settings.json) writeJson(context.io, documentOf(result));
  return exitOf(result);
}
