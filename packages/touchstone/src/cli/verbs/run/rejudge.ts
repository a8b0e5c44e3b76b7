import type { ExitCode } from '../../exit.js';
import { asEvalRun, findRun, noRun } from '../../find-run.js';
import { type Context, isColoured, writeJson } from '../../io.js';
import { compareJudges } from '../../judging/compare-judges.js';
import { hasStore, LOCAL_PRINCIPAL, type Local, withJudges } from '../../local.js';
import { comparisonDocument, type Rejudged, renderComparison } from '../../render/compare/comparison.js';
import { createInk } from '../../render/ink.js';
import { documentOf } from '../../render/run/document.js';
import { type JudgeOptions, wishOf } from '../runs/judge-check.js';
import { collectResult } from './collect-result.js';
import { tellResult } from './report.js';
import { exitOf, type RunView } from './result.js';
import { finishRun } from './run.js';

/** Has the answers of a run judged again, and puts both verdicts side by side. */
export async function rejudgeCommand(
  context: Context,
  wanted: string,
  options: JudgeOptions,
): Promise<ExitCode> {
  if (!(await hasStore(context))) throw noRun(wanted);
  return withJudges(context, async (local) => {
    const { touchstone } = local;
    const source = asEvalRun(await findRun(touchstone, wanted));
    const created = await touchstone.rejudge(LOCAL_PRINCIPAL, source.runId, wishOf(options), {
      origin: 'cli',
      start: false,
    });
    const after = await finishRun(context, local, asEvalRun(created), options);
    const before = await collectResult(touchstone, source, { bodies: 0, now: context.io.now() });
    await tell(context, local, before, after, options);
    return exitOf(after);
  });
}

async function tell(
  context: Context,
  { touchstone }: Local,
  before: RunView,
  after: RunView,
  options: JudgeOptions,
): Promise<void> {
  const { io, settings } = context;
  // A run that was stopped has judged some of the answers, and half a comparison is none.
  const rejudged: Rejudged | undefined = after.summary
    ? { before, after, comparison: await compareJudges(touchstone, before.runId, after.runId) }
    : undefined;
  const bodies = options.bodies === true || (io.stdout.isTTY && !settings.json);
  tellResult(context, after, options);
  if (settings.json)
    writeJson(io, {
      ...documentOf(after),
      ...(rejudged && { comparison: comparisonDocument(rejudged, bodies) }),
    });
  else if (rejudged) {
    const look = { ink: createInk(isColoured(context, io.stdout)), width: io.stdout.columns };
    io.stdout.write(`\n${renderComparison(rejudged, bodies, look)}`);
  }
}
