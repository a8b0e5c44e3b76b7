import {
  agentNamed,
  type ContractVerdict,
  RUN_STATUSES,
  type RunStatus,
  verdictOn,
} from '@touchstone/protocol';
import type { Run } from '../../../ports/index.js';
import type { ExitCode } from '../../exit.js';
import { isExpired, isInterrupted } from '../../find-run.js';
import { type Context, isColoured, roomOf, writeJson, writeLine } from '../../io.js';
import { LOCAL_OWNER, readStore } from '../../local.js';
import { type Column, renderFitting } from '../../render/fit-table.js';
import { forkMark } from '../../render/fork.js';
import { createInk, type Ink } from '../../render/ink.js';
import { truncate } from '../../render/text.js';
import { ago, score, usd } from '../../render/units.js';
import { UsageError } from '../../usage-error.js';

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
  if (settings.json) writeJson(io, { items: items.map((run) => documentOfRun(run, io.now())) });
  else if (items.length === 0) writeLine(io.stdout, 'No runs. Start one with: touchstone run <suite file>');
  else
    writeLine(
      io.stdout,
      runsTable(items, io.now(), createInk(isColoured(context, io.stdout)), {
        columns: io.stdout.columns,
        room: roomOf(io.stdout),
      }),
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

/** A run without a suite is listed by what it does; in little room by where that leads, which tells the steps apart. */
function workOf(run: Run, isTight: boolean): string {
  if (run.plan.kind !== 'deployment') return suiteOf(run);
  const { transition, toState } = run.plan.request;
  if (isTight && toState !== undefined) return `→ ${toState}`;
  return `${transition}${toState === undefined ? '' : ` to ${toState}`}`;
}
const agentOf = ({ plan }: Run): string => agentNamed(plan) ?? '–';

const documentOfRun = (run: Run, now: number): object => ({
  runId: run.runId,
  status: run.status,
  ...(isExpired(run, now) && { expired: true }),
  ...(run.plan.kind === 'eval' ? { suite: suiteOf(run) } : { workflow: run.workflowId }),
  agent: agentOf(run),
  createdAt: new Date(run.createdAt).toISOString(),
  ...(run.completedAt !== undefined && { completedAt: new Date(run.completedAt).toISOString() }),
  ...(run.plan.fork && { fork: run.plan.fork }),
  ...(run.plan.kind === 'deployment' && { deployment: run.plan.request }),
  ...(verdictOf(run) && { verdict: verdictOf(run) }),
  ...(run.headline && { headline: run.headline }),
  ...(run.error && { error: run.error }),
});

/** On a narrow screen names are shortened to what tells them apart, and what finds no room is left out. */
export function runsTable(
  runs: readonly Run[],
  now: number,
  ink: Ink,
  { columns, room }: { readonly columns: number; readonly room: number },
): string {
  const wide = columns >= WIDE;
  // The mark of a fork takes its room from the name.
  const most = runs.some(({ plan }) => plan.fork) ? 15 : 24;
  const name = (text: string): string =>
    wide ? text : truncate(text.replace(/^.*\.(?=[^.]+@\d)/, ''), most);
  const column = (head: string, cellOf: (run: Run) => string): Column => ({ head, cells: runs.map(cellOf) });
  const shown = [
    column('run', ({ runId }) => runId),
    { ...column('when', ({ createdAt }) => ink.dim(ago(now - createdAt))), drop: 2 },
    { ...column('suite', (run) => name(workOf(run, room < WIDE))), least: 12 },
    ...(wide ? [{ ...column('agent', agentOf), drop: 3 }] : []),
    column('status', (run) => stateText(run, now, ink)),
    { ...column('score', (run) => scoreOf(run, wide, ink)), drop: 1 },
    ...(wide ? [{ ...column('cost', costOf), drop: 0 }] : []),
  ];
  return renderFitting(shown, ink, room);
}

const costOf = ({ headline }: Run): string =>
  headline?.totalCostUsd === undefined ? '–' : usd(headline.totalCostUsd);

/** What has become of it, and that it is no run of its own. */
const stateText = (run: Run, now: number, ink: Ink): string =>
  (isInterrupted(run, now)
    ? ink.yellow('interrupted')
    : isExpired(run, now)
      ? ink.red('expired')
      : statusOf(run, ink)) + ink.dim(forkMark(run.plan.fork));

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
