import { type ContractVerdict, defined, type RunStatus, verdictOn } from '@touchstone/protocol';
import { isEvalRun, type RunFilter, type RunSnapshot } from '@touchstone/sdk';
import { ago, forkMark, score, usd } from '@touchstone/sdk/view';
import { type Context, type ExitCode, roomOf, writeResult } from '../../io.js';
import { originOf } from '../../origin.js';
import { type Column, renderFitting } from '../../render/table.js';
import { type Ink, truncateMiddle } from '../../render/text.js';
import { runPages } from '../../run-lookup.js';
import { type Session, type Where, withSession } from '../../session.js';

type RunsOptions = Where & {
  readonly agent?: string;
  readonly suite?: string;
  readonly status?: RunStatus;
  readonly limit: number;
};

const WIDE = 120;
/** The most runs of one page. */
const PAGE = 200;

export async function runsCommand(context: Context, options: RunsOptions): Promise<ExitCode> {
  const { io } = context;
  const filter = {
    ...(options.agent && { agentId: options.agent }),
    ...(options.suite && { suiteId: options.suite }),
    ...(options.status && { status: options.status }),
  };
  const items = await withSession(context, options, 'look', (session) =>
    latestRuns(session, filter, options.limit),
  );
  writeResult(context, { items: items.map(documentOfRun) }, ({ ink, width }) => {
    if (items.length === 0) return 'No runs. Start one with: touchstone run <suite file>\n';
    return `${runsTable(items, io.now(), ink, { columns: width, room: roomOf(io.stdout) })}\n`;
  });
  return 0;
}

/** The newest runs of a host, so many at most. */
export async function latestRuns(
  { client }: Session,
  filter: RunFilter,
  limit: number,
): Promise<readonly RunSnapshot[]> {
  const runs: RunSnapshot[] = [];
  for await (const page of runPages(client, { ...filter, limit: Math.min(limit, PAGE) })) {
    runs.push(...page);
    if (runs.length >= limit) break;
  }
  return runs.slice(0, limit);
}

const suiteOf = ({ touchstone, workflowId }: RunSnapshot): string => touchstone?.suite?.ref ?? workflowId;

/** A run without a suite is listed by what it does; in little room by where that leads, which tells the steps apart. */
function workOf(run: RunSnapshot, isTight: boolean): string {
  const { request } = run.touchstone ?? {};
  if (!request) return suiteOf(run);
  const { transition, toState } = request;
  if (isTight && toState !== undefined) return `→ ${toState}`;
  return `${transition}${toState === undefined ? '' : ` to ${toState}`}`;
}

function agentOf({ touchstone }: RunSnapshot): string {
  const { agent, agentId, request } = touchstone ?? {};
  if (request) return `${agentId}@${request.version}`;
  return agent ? `${agent.agentId}@${agent.version}` : '–';
}

/** One run of a list, as a JSON document. */
export const documentOfRun = (run: RunSnapshot): object => {
  const { touchstone, completedAt, error } = run;
  const { expired, createdAt, fork, request, headline } = touchstone ?? {};
  return {
    ...defined({ runId: run.runId, status: run.status, expired }),
    ...(isEvalRun(run) ? { suite: suiteOf(run) } : { workflow: run.workflowId }),
    agent: agentOf(run),
    ...defined({
      createdAt,
      completedAt,
      fork,
      confirms: originOf(run).confirms,
      deployment: request,
      verdict: verdictOf(run),
      headline,
      error,
    }),
  };
};

/** On a narrow screen names are shortened to what tells them apart, and what finds no room is left out. */
function runsTable(
  runs: readonly RunSnapshot[],
  now: number,
  ink: Ink,
  { columns, room }: { readonly columns: number; readonly room: number },
): string {
  const wide = columns >= WIDE;
  // The mark of a fork takes its room from the name.
  const most = runs.some(({ touchstone }) => touchstone?.fork) ? 15 : 24;
  const name = (text: string): string =>
    wide ? text : truncateMiddle(text.replace(/^.*\.(?=[^.]+@\d)/, ''), most);
  const column = (head: string, cellOf: (run: RunSnapshot) => string): Column => ({
    head,
    cells: runs.map(cellOf),
  });
  const shown = [
    column('run', ({ runId }) => runId),
    { ...column('when', (run) => ink.dim(ago(now - createdAt(run)))), drop: 2 },
    { ...column('suite', (run) => name(workOf(run, room < WIDE))), least: 12, named: true },
    ...(wide ? [{ ...column('agent', agentOf), drop: 3 }] : []),
    column('status', (run) => stateText(run, ink)),
    { ...column('score', (run) => scoreOf(run, wide, ink)), drop: 1 },
    ...(wide ? [{ ...column('cost', costOf), drop: 0 }] : []),
  ];
  return renderFitting(shown, ink, room);
}

const createdAt = ({ touchstone }: RunSnapshot): number => Date.parse(touchstone?.createdAt ?? '');

function costOf({ touchstone }: RunSnapshot): string {
  const { totalCostUsd } = touchstone?.headline ?? {};
  return totalCostUsd === undefined ? '–' : usd(totalCostUsd);
}

/** What has become of it, and that it is no run of its own. */
function stateText(run: RunSnapshot, ink: Ink): string {
  const { interrupted, expired, fork } = run.touchstone ?? {};
  const state = interrupted ? ink.yellow('interrupted') : expired ? ink.red('expired') : statusOf(run, ink);
  return state + ink.dim(forkMark(fork));
}

function scoreOf({ touchstone }: RunSnapshot, wide: boolean, ink: Ink): string {
  const { headline } = touchstone ?? {};
  if (!headline) return '–';
  const counts = ` ${headline.passedCount}/${headline.taskCount}`;
  // Without all scores there is none of the whole.
  return (headline.unscored > 0 ? '–' : score(headline.aggregateScore)) + (wide ? ink.dim(counts) : '');
}

/** A run that ended before contract verdicts were written down has none here: "show" finds out. */
function verdictOf(run: RunSnapshot): ContractVerdict | undefined {
  const { headline, contract } = run.touchstone ?? {};
  if (run.status !== 'completed' || !headline || !isEvalRun(run)) return undefined;
  return contract && !headline.contractVerdict ? undefined : verdictOn(headline);
}

function statusOf(run: RunSnapshot, ink: Ink): string {
  const verdict = verdictOf(run);
  if (verdict)
    return { pass: ink.green('✓ passed'), fail: ink.red('✗ failed'), error: ink.yellow('unjudged') }[verdict];
  return run.touchstone?.kind === 'deployment' ? moveOf(run, ink) : stateWord(run, ink);
}

const stateWord = ({ status }: RunSnapshot, ink: Ink): string =>
  status === 'failed' ? ink.red(status) : ink.yellow(status);

/** What became of a move, which is neither a pass nor a fail. */
function moveOf(run: RunSnapshot, ink: Ink): string {
  if (run.status === 'completed') return ink.green('✓ moved');
  return run.status === 'failed' ? ink.red('✗ refused') : stateWord(run, ink);
}
