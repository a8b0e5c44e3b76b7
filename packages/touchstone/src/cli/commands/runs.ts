import {
  agentNamed,
  type ContractVerdict,
  RUN_STATUSES,
  type RunStatus,
  verdictOn,
} from '@touchstone/contract';
import type { Run } from '@touchstone/contract/ports';
import type { ExitCode } from '../exit.js';
import { isInterrupted } from '../find-run.js';
import { type Context, isColoured, writeJson, writeLine } from '../io.js';
import { LOCAL_OWNER, readStore } from '../local.js';
import { forkMark } from '../render/fork.js';
import { createInk, type Ink } from '../render/ink.js';
import { renderTable } from '../render/table.js';
import { truncate } from '../render/text.js';
import { ago, score, usd } from '../render/units.js';
import { UsageError } from '../usage-error.js';

export type RunsOptions = {
  readonly agent?: string;
  readonly suite?: string;
  readonly status?: string;
  readonly limit: number;
};

const WIDE = 120;

export async function runsCommand(context: Context, options: RunsOptions): Promise<ExitCode> {
  const { io, settings } = context;
  const filter = {
    limit: options.limit,
    ...(options.agent && { agentId: options.agent }),
    ...(options.suite && { suiteId: options.suite }),
    ...(options.status && { status: checkedStatus(options.status) }),
  };
  const { items } = await readStore(
    context,
    ({ touchstone }) => touchstone.store.runs.list(LOCAL_OWNER, filter),
    () => ({ items: [] }),
  );
  if (settings.json) writeJson(io, { items: items.map(documentOfRun) });
  else if (items.length === 0) writeLine(io.stdout, 'No runs. Start one with: touchstone run <suite file>');
  else
    writeLine(
      io.stdout,
      runsTable(items, io.now(), createInk(isColoured(context, io.stdout)), io.stdout.columns),
    );
  return 0;
}

function checkedStatus(text: string): RunStatus {
  const status = RUN_STATUSES.find((known) => known === text);
  if (status) return status;
  throw new UsageError(`There is no run status ${text}.`, `Known: ${RUN_STATUSES.join(', ')}`);
}

const suiteOf = ({ plan, workflowId }: Run): string =>
  plan.kind === 'eval' ? `${plan.suite.suiteId}@${plan.suite.version}` : workflowId;

/** A run without a suite is listed by what it does. */
function workOf(run: Run): string {
  if (run.plan.kind !== 'deployment') return suiteOf(run);
  const { transition, toState } = run.plan.request;
  return `${transition}${toState === undefined ? '' : ` to ${toState}`}`;
}
const agentOf = ({ plan }: Run): string => agentNamed(plan) ?? '–';

const documentOfRun = (run: Run): object => ({
  runId: run.runId,
  status: run.status,
  suite: suiteOf(run),
  agent: agentOf(run),
  createdAt: new Date(run.createdAt).toISOString(),
  ...(run.completedAt !== undefined && { completedAt: new Date(run.completedAt).toISOString() }),
  ...(run.plan.fork && { fork: run.plan.fork }),
  ...(run.plan.kind === 'deployment' && { deployment: run.plan.request }),
  ...(verdictOf(run) && { verdict: verdictOf(run) }),
  ...(run.headline && { headline: run.headline }),
  ...(run.error && { error: run.error }),
});

/** On a narrow screen names are shortened to what tells them apart. */
export function runsTable(runs: readonly Run[], now: number, ink: Ink, columns: number): string {
  const wide = columns >= WIDE;
  // The mark of a fork takes its room from the name.
  const room = runs.some(({ plan }) => plan.fork) ? 15 : 24;
  const name = (text: string): string =>
    wide ? text : truncate(text.replace(/^.*\.(?=[^.]+@\d)/, ''), room);
  const rows = runs.map((run) => [
    run.runId,
    ink.dim(ago(now - run.createdAt)),
    name(workOf(run)),
    ...(wide ? [agentOf(run)] : []),
    stateText(run, now, ink),
    scoreOf(run, wide, ink),
    ...(wide ? [run.headline?.totalCostUsd === undefined ? '–' : usd(run.headline.totalCostUsd)] : []),
  ]);
  const heads = [
    'run',
    'when',
    'suite',
    ...(wide ? ['agent'] : []),
    'status',
    'score',
    ...(wide ? ['cost'] : []),
  ];
  return renderTable(heads, rows, ink);
}

/** What has become of it, and that it is no run of its own. */
const stateText = (run: Run, now: number, ink: Ink): string =>
  (isInterrupted(run, now) ? ink.yellow('interrupted') : statusOf(run, ink)) +
  ink.dim(forkMark(run.plan.fork));

function scoreOf({ headline }: Run, wide: boolean, ink: Ink): string {
  if (!headline) return '–';
  const counts = ` ${headline.passedCount}/${headline.taskCount}`;
  return score(headline.aggregateScore) + (wide ? ink.dim(counts) : '');
}

/** A run that ended before the word of its contract was written down has none here: "show" finds out. */
function verdictOf({ status, headline, plan }: Run): ContractVerdict | undefined {
  if (status !== 'completed' || !headline || plan.kind !== 'eval') return undefined;
  return plan.contract && !headline.contractVerdict ? undefined : verdictOn(headline);
}

function statusOf(run: Run, ink: Ink): string {
  switch (verdictOf(run)) {
    case 'pass':
      return ink.green('✓ passed');
    case 'fail':
      return ink.red('✗ failed');
    case 'error':
      return ink.yellow('unjudged');
    default:
      return run.plan.kind === 'deployment' ? moveOf(run, ink) : stateWord(run, ink);
  }
}

const stateWord = ({ status }: Run, ink: Ink): string =>
  status === 'failed' ? ink.red(status) : ink.yellow(status);

/** What became of a move, which is neither a pass nor a fail. */
function moveOf(run: Run, ink: Ink): string {
  if (run.status === 'completed') return ink.green('✓ moved');
  return run.status === 'failed' ? ink.red('✗ refused') : stateWord(run, ink);
}
