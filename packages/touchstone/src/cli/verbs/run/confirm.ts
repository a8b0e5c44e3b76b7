import { isTerminal } from '@touchstone/protocol';
import { readResults } from '@touchstone/sdk';
import { confirmTasks } from '@touchstone/sdk/view';
import type { SuiteSource } from '../../files/suite-source.js';
import { type Context, writeLine } from '../../io.js';
import type { Session } from '../../session.js';
import type { RunView } from './result.js';
import type { RunDriver } from './run-driver.js';
import type { RunOptions } from './run-options.js';
import { startRun } from './start-run.js';

/** Runs the tasks that newly fail so many more times, as a run of its own. The scores of the first stay as they are. */
export async function confirmNews(
  context: Context,
  session: Session,
  driver: RunDriver,
  source: SuiteSource,
  view: RunView,
  options: RunOptions,
): Promise<RunView> {
  const { toFail = [] } = view.report?.regression ?? {};
  const { confirm } = options;
  if (confirm === undefined || toFail.length === 0) return view;
  const again = againOptions(view, toFail, confirm, options);
  if (!again) return notConfirmed(context, view, 'the budget is spent');
  const { runId } = await startRun(context, session, driver, source, again);
  const { interrupted } = await driver.follow(runId);
  const { client } = session;
  const { status } = await client.runs.get(runId);
  if (interrupted || !isTerminal(status) || status !== 'completed')
    return notConfirmed(context, view, `run ${runId} did not complete`);
  const results = [await readResults(client, view.runId), await readResults(client, runId)];
  return {
    ...view,
    confirmation: { runId, times: confirm, tasks: confirmTasks(toFail, results, view.thresholds) },
  };
}

function notConfirmed({ io }: Context, view: RunView, why: string): RunView {
  writeLine(io.stderr, `Newly failing tasks count without a second look: ${why}.`);
  return view;
}

/** As the first run was asked for, of these tasks alone, compared with nothing, and with what is left of the budget. */
function againOptions(
  { costUsd = 0, runId }: RunView,
  only: readonly string[],
  repeats: number,
  options: RunOptions,
): (RunOptions & { readonly confirms: string }) | undefined {
  const { baseline: _, common: __, tolerance: ___, allowJudgeMismatch: ____, ...rest } = options;
  const { tag: _tag, failed: _failed, first: _first, record: _record, budget, ...alone } = rest;
  const left = budget === undefined ? undefined : budget - costUsd;
  if (left !== undefined && left <= 0) return undefined;
  const modes = alone.modes?.filter((mode) => mode !== 'regression');
  return {
    ...alone,
    only,
    repeats,
    confirms: runId,
    ...(modes && modes.length > 0 && { modes }),
    ...(left !== undefined && { budget: left }),
  };
}
