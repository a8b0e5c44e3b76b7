import { asId, isTerminal, type JsonObject, type RunId, type Thresholds } from '@touchstone/protocol';
import type { Client, RunProgress } from '@touchstone/sdk';
import { suiteDocument } from '../../../suites/index.js';
import { openRemoteSources } from '../../files/remote-pack.js';
import { checkRemoteAgent } from '../../files/remote-profile.js';
import type { SuiteSource } from '../../files/suite-source.js';
import type { Context } from '../../io.js';
import { createProgressLine } from '../../render/progress.js';
import { openClient } from '../../session.js';
import { UsageError } from '../../usage-error.js';
import { type Created, createCompared } from './baseline-choice.js';
import { collectRemote } from './collect-remote.js';
import {
  checkRemoteBaseline,
  chooseRemoteBaseline,
  measureThere,
  type WantingThere,
} from './remote-baseline.js';
import { bodiesWanted, tellResult } from './report.js';
import type { RunView } from './result.js';
import { type Attempt, checkOne, runEach } from './run.js';
import { configurableOf, type RunOptions } from './run-options.js';

/** The same verb on another host: the suite is installed there, the run is followed from here. */
export async function runRemotely(
  context: Context,
  suite: string | undefined,
  options: RunOptions,
  host: string,
): Promise<readonly Attempt[]> {
  const client = openClient(context, host, options.keyEnv);
  if (options.resume !== undefined) {
    const result = await rejoin(context, client, options);
    tellResult(context, result, options);
    return [{ result }];
  }
  checkRemoteBaseline(context, options.baseline);
  const sources = await openRemoteSources(context, client, suite ?? '', options);
  checkOne(sources, options);
  return runEach(
    context,
    sources,
    async (source) => {
      const { created: runId, uncompared } = await createRemoteRun(context, client, source, options);
      const thresholds = source.kind === 'file' ? (source.suite.head.thresholds ?? {}) : undefined;
      const result = await followRun(context, client, runId, options, thresholds);
      return { ...result, ...(uncompared !== undefined && { uncompared }) };
    },
    (result) => tellResult(context, result, options),
  );
}

async function createRemoteRun(
  context: Context,
  client: Client,
  source: SuiteSource,
  options: RunOptions,
): Promise<Created<RunId>> {
  const named = source.kind === 'packed' ? source.agent : (options.agent ?? targetOf(source));
  const agentId = checkRemoteAgent(named, context.io.cwd);
  const suite = await suiteThere(client, source);
  const create = async (baseline?: RunId): Promise<RunId> => {
    const configurable = configurableOf(options, baseline);
    const body = { mode: 'eval', evalSuiteRef: suite.suiteRef, agentId, configurable } as const;
    return (await client.runs.create(body)).runId;
  };
  if (options.baseline === undefined) return { created: await create() };
  const wanting = { ...suite, agentId, repeats: options.repeats ?? 1 };
  const choice = await chooseRemoteBaseline(client, options.baseline, wanting);
  return createCompared(context, choice, create, (runId) => measureThere(client, runId));
}

const targetOf = (source: SuiteSource): string | undefined =>
  source.kind === 'file' ? source.suite.head.targetAgentId : undefined;

async function suiteThere(
  client: Client,
  source: SuiteSource,
): Promise<Pick<WantingThere, 'suiteRef' | 'suiteDigest'>> {
  if (source.kind === 'packed') return { suiteRef: source.suiteRef };
  if (source.kind === 'reference') return { suiteRef: source.reference };
  const { suite } = source.kind === 'file' ? source : source.compiled;
  const { suiteRef, digest } = await client.suites.install(suiteDocument(suite) as JsonObject);
  return { suiteRef, suiteDigest: digest };
}

/** A run there goes on by itself; resuming is following it again, and waking it when it was paused. */
async function rejoin(context: Context, client: Client, options: RunOptions): Promise<RunView> {
  const wanted = options.resume;
  const runId =
    typeof wanted === 'string' && wanted !== 'last' ? asId<RunId>(wanted) : await newestUnfinished(client);
  const { status } = await client.runs.get(runId);
  if (status === 'paused') await client.runs.resume(runId);
  return followRun(context, client, runId, options);
}

async function newestUnfinished(client: Client): Promise<RunId> {
  const { items } = await client.runs.list({ limit: 100 });
  const newest = items.find((run) => !isTerminal(run.status) && run.touchstone?.kind !== 'deployment');
  if (newest) return newest.runId;
  throw new UsageError('That host has no unfinished run of yours.');
}

async function followRun(
  context: Context,
  client: Client,
  runId: RunId,
  options: RunOptions,
  thresholds?: Thresholds,
): Promise<RunView> {
  const { io } = context;
  const { stderr } = io;
  const left = new AbortController();
  const line = createProgressLine({
    isTTY: stderr.isTTY,
    columns: stderr.columns,
    write: stderr.write,
    every: io.every,
  });
  const stopListening = io.onSignal(() => {
    if (left.signal.aborted) io.exit(130);
    left.abort();
    stderr.write(`\nThe run goes on there. Follow it again with --resume ${runId}.\n`);
  });
  const over = new AbortController();
  const showing = showProgress(client, runId, AbortSignal.any([left.signal, over.signal]), line.update);
  try {
    for await (const _ of client.streamEvents(runId, { signal: left.signal }));
  } catch (error) {
    if (!left.signal.aborted) throw error;
  } finally {
    over.abort();
    await showing;
    line.clear();
    stopListening();
  }
  const collecting = {
    interrupted: left.signal.aborted,
    bodies: bodiesWanted(context, options),
    now: io.now(),
    ...(options.conclusive && { conclusive: true as const }),
  };
  return collectRemote(client, runId, collecting, thresholds);
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
