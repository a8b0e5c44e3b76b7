import type { BaselineEntry } from '@touchstone/protocol';
import { type EvalRunSnapshot, HostResponseError } from '@touchstone/sdk';
import { type Context, type ExitCode, UsageError, writeResult } from '../../io.js';
import {
  type Baseline,
  baselineDocument,
  baselinesTable,
  renderBaseline,
  renderBlessed,
} from '../../render/compare/baseline.js';
import { shell } from '../../render/shell.js';
import { asEvalRun, findRun, stateOf } from '../../run-lookup.js';
import { commandToType, type Session, type Where, withSession } from '../../session.js';
import { didYouMean } from '../../suggest.js';

const HOW = 'Make one with: touchstone baseline bless <runId>';

export async function listBaselinesCommand(context: Context, where: Where): Promise<ExitCode> {
  const items = await withSession(context, where, 'look', ({ client }) => client.baselines.list());
  writeResult(context, { items }, (look) =>
    items.length === 0 ? `No baseline yet. ${HOW}\n` : `${baselinesTable(items, context.io.now(), look)}\n`,
  );
  return 0;
}

export async function showBaselineCommand(
  context: Context,
  name: string | undefined,
  where: Where,
): Promise<ExitCode> {
  const baselines = await withSession(context, where, 'look', (session) => readBaselines(session, name));
  writeResult(context, { items: baselines.map(baselineDocument) }, (look) =>
    baselines.map((one) => renderBaseline(one, context.io.now(), look)).join(''),
  );
  return 0;
}

async function readBaselines({ client }: Session, name: string | undefined): Promise<readonly Baseline[]> {
  const all = await client.baselines.list();
  const baselines: Baseline[] = [];
  for (const blessing of choose(all, name)) {
    const report = await client.runs.report(blessing.runId);
    baselines.push({ blessing, report, history: all.filter((one) => isSameSubject(one, blessing)) });
  }
  return baselines;
}

/** Of the same suite, agent and judge the latest blessing counts. */
const isSameSubject = (one: BaselineEntry, other: BaselineEntry): boolean =>
  one.suite.digest === other.suite.digest &&
  one.agent.agentId === other.agent.agentId &&
  one.judge === other.judge;

/** A run was perhaps blessed more than once; its latest blessing says what became of it. */
function choose(all: readonly BaselineEntry[], name: string | undefined): readonly BaselineEntry[] {
  if (all.length === 0) throw new UsageError('There is no baseline here yet.', HOW);
  const current = all.filter((one) => one.current);
  if (name === undefined) return current;
  const ofSuite = current.filter(({ suite: { ref } }) => ref === name || suiteIdOf(ref) === name);
  if (ofSuite.length > 0) return ofSuite;
  const ofRun = all.find(({ runId }) => runId === name);
  if (ofRun) return [ofRun];
  const suites = [...new Set(current.map(({ suite }) => suiteIdOf(suite.ref)))];
  throw new UsageError(
    `There is no baseline of a suite ${name}, nor a blessed run of that id.`,
    didYouMean(name, suites, 'Suites with a baseline'),
  );
}

const suiteIdOf = (ref: string): string => ref.slice(0, ref.lastIndexOf('@'));

export async function blessCommand(context: Context, name: string, where: Where): Promise<ExitCode> {
  return withSession(context, where, 'look', async (session): Promise<ExitCode> => {
    const run = asEvalRun(await findRun(session.client, name));
    checkCompleted(run);
    const blessed = await session.client.baselines.bless(run.runId).catch(withHint(context, session, run));
    writeResult(context, blessed, (look) => renderBlessed(blessed, run, context.io.now(), look));
    return 0;
  });
}

function checkCompleted(run: EvalRunSnapshot): void {
  if (run.status === 'completed') return;
  throw new UsageError(
    `Run ${run.runId} is ${stateOf(run)}, and only a completed run can be a baseline.`,
    'See which are with: touchstone runs --status completed',
  );
}

/** Adds what to do to the reason why a run has measured too little itself. */
const withHint =
  (context: Context, { where }: Session, { touchstone: { fork, headline } }: EvalRunSnapshot) =>
  (error: unknown): never => {
    if (!(error instanceof HostResponseError) || (!fork && !headline?.cacheHits)) throw error;
    const hint =
      fork?.mode === 'replay'
        ? `Bless the run it repeats: ${commandToType(context, shell`baseline bless ${fork.source}`, where)}`
        : fork
          ? 'Run the suite again as a whole, and bless that run.'
          : 'Run the suite again without --cache, and bless that run.';
    throw new UsageError(error.message, hint);
  };
