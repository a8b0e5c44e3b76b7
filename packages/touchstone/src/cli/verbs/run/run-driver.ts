import { type ChannelName, type Digest, defined, type RunId } from '@touchstone/protocol';
import type { Client, CreateRun, ForkRun, RejudgeRun, RunProgress } from '@touchstone/sdk';
import type { Io } from '../../io.js';
import type { Local } from '../../local.js';
import { createProgressLine, type ProgressScreen } from '../../render/progress.js';
import type { Session } from '../../session.js';

/** What only a host in this process is told about a new run. */
type RunPins = {
  /** The channel that led to the version which the request names. */
  readonly channel?: ChannelName;
  /** The contract that the suite file was compiled with. */
  readonly contract?: Digest | 'none';
};

/** Makes runs and brings them to rest: in this process, or on a host that drives them by itself. */
export type RunDriver = {
  create(request: CreateRun, pins?: RunPins): Promise<RunId>;
  fork(source: RunId, request: ForkRun): Promise<RunId>;
  rejudge(source: RunId, request: RejudgeRun): Promise<RunId>;
  /** Wakes a paused run. */
  resume(runId: RunId): Promise<void>;
  /** Returns when the run is at rest, or when the caller has pressed Ctrl-C. */
  follow(runId: RunId): Promise<{ readonly interrupted: boolean }>;
};

export const driverOf = (io: Io, { client, local }: Session): RunDriver =>
  local ? localDriver(io, local) : remoteDriver(io, client);

/** The same driver, and somebody who hears of each task that ends. */
export const watchedDriver = (
  driver: RunDriver,
  { touchstone }: Local,
  watch: Parameters<Local['touchstone']['engine']['watch']>[1],
): RunDriver => ({
  ...driver,
  async follow(runId) {
    const unwatch = touchstone.engine.watch(runId, watch);
    return driver.follow(runId).finally(unwatch);
  },
});

/** Nothing is driven before `follow`: the command that made a run is its driver. */
function localDriver(io: Io, { touchstone, principal }: Local): RunDriver {
  const { engine } = touchstone;
  const making = { origin: 'cli', start: false } as const;
  return {
    create: async (request, pins) =>
      (await touchstone.createRun(principal, request, { ...making, ...pins })).runId,
    fork: async (source, request) =>
      (await touchstone.fork(principal, source, { fromSeq: 0, ...request }, making)).runId,
    rejudge: async (source, { judge, votes }) =>
      (await touchstone.rejudge(principal, source, defined({ model: judge, votes }), making)).runId,
    resume: async (runId) => void (await engine.resume(principal.owner, runId, principal.id)),
    async follow(runId) {
      const words = 'Stopping. Finished tasks are kept. Press Ctrl-C again to leave at once.';
      return withProgress(io, words, async (update, signal) => {
        if (signal.aborted) void engine.shutdown();
        signal.addEventListener('abort', () => void engine.shutdown());
        const unwatch = engine.watch(runId, update);
        try {
          await engine.drive(principal.owner, runId);
          if (signal.aborted) await engine.shutdown();
        } finally {
          unwatch();
        }
      });
    },
  };
}

function remoteDriver(io: Io, client: Client): RunDriver {
  return {
    create: async (request) => (await client.runs.create(request)).runId,
    fork: async (source, request) => (await client.runs.fork(source, request)).runId,
    rejudge: async (source, request) => (await client.runs.rejudge(source, request)).runId,
    resume: async (runId) => void (await client.runs.resume(runId)),
    follow(runId) {
      const words = `The run goes on there. Follow it again with --resume ${runId}.`;
      return withProgress(io, words, async (update, signal) => {
        const over = new AbortController();
        const showing = showProgress(client, runId, AbortSignal.any([signal, over.signal]), update);
        try {
          for await (const _ of client.streamEvents(runId, { signal }));
        } catch (error) {
          if (!signal.aborted) throw error;
        } finally {
          over.abort();
          await showing;
        }
      });
    },
  };
}

/** Progress is a convenience: a host without the feed is followed without a line. */
async function showProgress(
  client: Client,
  runId: RunId,
  signal: AbortSignal,
  update: (progress: RunProgress) => void,
): Promise<void> {
  try {
    for await (const message of client.progress(runId, { signal })) {
      if (message.event === 'progress') update(message.data);
    }
  } catch {
    return;
  }
}

/** Shows how far a run is. The first Ctrl-C aborts the signal and says `words`; the second ends the process. */
async function withProgress(
  io: Io,
  words: string,
  follow: (update: (progress: RunProgress) => void, signal: AbortSignal) => Promise<void>,
): Promise<{ readonly interrupted: boolean }> {
  const line = createProgressLine(progressScreen(io));
  const stopped = new AbortController();
  const stopListening = io.onSignal(() => {
    if (stopped.signal.aborted) io.exit(130);
    line.clear();
    io.stderr.write(`${words}\n`);
    stopped.abort();
  });
  try {
    await follow((progress) => line.update(progress), stopped.signal);
  } finally {
    line.clear();
    stopListening();
  }
  return { interrupted: stopped.signal.aborted };
}

/** Where progress is shown: the stream that results do not go to. */
export const progressScreen = ({ stderr, env, every }: Io): ProgressScreen => ({
  isTTY: stderr.isTTY && env.TERM !== 'dumb',
  columns: stderr.columns,
  write: stderr.write,
  rewriteLine: stderr.rewriteLine,
  every,
});
