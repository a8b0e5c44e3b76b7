import { asId, type JsonObject, type RunId, type RunPreview } from '@touchstone/protocol';
import { type Client, type CreateRun, isEvalRun } from '@touchstone/sdk';
import { plural, refOf, usd } from '@touchstone/sdk/view';
import { parseSuite } from '../../../suites/index.js';
import { openSources } from '../../files/pack-source.js';
import type { SuiteSource } from '../../files/suite-source.js';
import { type Context, type ExitCode, UsageError, writeLine, writeResult } from '../../io.js';
import { absent } from '../../run-lookup.js';
import { type Session, withSession } from '../../session.js';
import { nameOf } from './attempts.js';
import type { RunDriver } from './run-driver.js';
import type { RunOptions } from './run-options.js';
import { startRun } from './start-run.js';
import { NothingToRun } from './task-choice.js';

/** What an evaluation would do and cost. Without `usd` nothing is known of the cost. */
type Estimate = Omit<RunPreview, 'suite' | 'agent'> & {
  readonly suite: string;
  readonly agent: string;
  readonly cost: { readonly usd?: number; readonly basis: string };
};

/** Tells what would run. Everything that a run would be refused for is refused; nothing is created or kept. */
export async function dryRun(
  context: Context,
  suite: string,
  options: RunOptions,
  several: boolean,
): Promise<ExitCode> {
  const estimates = await withSession(context, options, 'look', (kept) =>
    kept.local
      ? // What a run would install goes into a store that is gone afterwards.
        withSession(context, options, 'aside', (aside) =>
          estimateAll(context, planningSession(aside, kept.client), kept.client, suite, options),
        )
      : estimateAll(context, planningSession(kept, kept.client), kept.client, suite, options),
  );
  // That nothing had failed is good news; that nothing was chosen is told in the error.
  if (estimates.length === 0) return 0;
  writeResult(context, several ? estimates : estimates[0], () => estimates.map(render).join('\n'));
  return 0;
}

/** Plans go to one host; what there was before comes from the other. On a host of others nothing is installed. */
function planningSession(session: Session, kept: Client): Session {
  const { client, local } = session;
  const { list, results, get } = kept.runs;
  const suites = local ? client.suites : { ...client.suites, install: refuseInstall(client) };
  return { ...session, client: { ...client, suites, runs: { ...client.runs, list, results, get } } };
}

const refuseInstall =
  (client: Client): Client['suites']['install'] =>
  async (document) => {
    const suite = parseSuite(document);
    const ref = refOf(suite.head);
    const known = await client.suites.head(ref).catch(absent);
    if (known?.digest === suite.head.digest) return { ...known, created: false } as never;
    throw new UsageError(
      `Suite ${ref} is not on that host as it is here, and --dry-run puts nothing there.`,
      'Leave --host out to see what would run, or name a suite that is installed there.',
    );
  };

async function estimateAll(
  context: Context,
  session: Session,
  kept: Client,
  suite: string,
  options: RunOptions,
): Promise<readonly Estimate[]> {
  const estimates: Estimate[] = [];
  const sources = await openSources(context, session, suite, options);
  const nothing: NothingToRun[] = [];
  const asked = { ...options, oneOfSeveral: sources.length > 1 };
  for (const source of sources) {
    try {
      estimates.push(await estimateOne(context, session, kept, source, asked));
    } catch (error) {
      if (!(error instanceof NothingToRun)) throw error;
      nothing.push(error);
      writeLine(context.io.stderr, `${nameOf(source)} would not be run: ${error.message}`);
    }
  }
  if (estimates.length === 0 && nothing.some(({ exitCode }) => exitCode !== 0))
    throw new UsageError(`Nothing of ${suite} would be run.`);
  return estimates;
}

async function estimateOne(
  context: Context,
  session: Session,
  kept: Client,
  source: SuiteSource,
  options: RunOptions,
): Promise<Estimate> {
  await bringInstalled(session, kept, source);
  const { baseline: _, common: __, tolerance: ___, allowJudgeMismatch: ____, ...alone } = options;
  let request: CreateRun | undefined;
  const driver = {
    create: async (given: CreateRun) => {
      request = given;
      return asId<RunId>('none');
    },
  } as unknown as RunDriver;
  await startRun(context, session, driver, source, alone);
  const preview = await session.client.runs.preview(request as CreateRun);
  const { suite, agent, ...counts } = preview;
  return { suite: suite.ref, agent: refOf(agent), ...counts, cost: await costOf(kept, preview) };
}

/** A suite that is installed here is copied to where the plan is made. */
async function bringInstalled({ local, client }: Session, kept: Client, source: SuiteSource): Promise<void> {
  if (!local || source.kind !== 'reference') return;
  const document = await kept.suites.get(source.reference).catch(absent);
  if (document) await client.suites.install(document as JsonObject);
}

const LOOKED_AT = 20;

/** The newest run of the suite and agent whose cost is known, scaled to as many invocations. */
async function costOf(kept: Client, { suite, agent, invocations }: RunPreview): Promise<Estimate['cost']> {
  const [suiteId = ''] = suite.ref.split('@');
  const { items } = await kept.runs.list({
    suiteId,
    agentId: agent.agentId,
    status: 'completed',
    limit: LOOKED_AT,
  });
  for (const { runId, touchstone } of items.filter(isEvalRun)) {
    const { headline, repeats } = touchstone;
    const done = (headline?.taskCount ?? 0) * repeats;
    if (headline?.totalCostUsd === undefined || done === 0) continue;
    return { usd: (headline.totalCostUsd / done) * invocations, basis: `run ${runId}, scaled` };
  }
  return { basis: 'no estimate' };
}

function render({
  suite,
  agent,
  tasks,
  repeats,
  invocations,
  judgeQuestions,
  liveTools,
  cost,
}: Estimate): string {
  const price = cost.usd === undefined ? cost.basis : `${usd(cost.usd)} (${cost.basis})`;
  return [
    `  ${suite}, agent ${agent}`,
    `    ${plural(tasks, 'task')}, ${plural(repeats, 'repeat')}: ${plural(invocations, 'invocation')}`,
    `    ${plural(judgeQuestions, 'judge question')} at most`,
    `    live tools: ${liveTools.length === 0 ? 'none' : liveTools.join(', ')}`,
    `    cost: ${price}`,
    '',
  ].join('\n');
}
