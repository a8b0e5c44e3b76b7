import { disputedSentences } from '../../comparing/answers.js';
import type { ExitCode } from '../../exit.js';
import { asEvalRun, findRun, noRun } from '../../find-run.js';
import { type Context, isColoured, writeJson } from '../../io.js';
import { hasStore, LOCAL_PRINCIPAL, type Local, withJudges } from '../../local.js';
import { mayShowContent } from '../../look.js';
import { comparisonDocument, type Rejudged, renderComparison } from '../../render/compare/comparison.js';
import { createInk } from '../../render/ink.js';
import { documentOf } from '../../render/run/document.js';
import { localClient } from '../../session.js';
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
  local: Local,
  before: RunView,
  after: RunView,
  options: JudgeOptions,
): Promise<void> {
  const { io, settings } = context;
  // A run that was stopped has judged some of the answers, and half a comparison is none.
  const rejudged = after.summary ? await compareBoth(context, local, before, after, options) : undefined;
  tellResult(context, after, options);
  if (settings.json)
    writeJson(io, {
      ...documentOf(after),
      ...(rejudged && { comparison: comparisonDocument(rejudged) }),
    });
  else if (rejudged) {
    const look = { ink: createInk(isColoured(context, io.stdout)), width: io.stdout.columns };
    io.stdout.write(`\n${renderComparison(rejudged, look)}`);
  }
}

async function compareBoth(
  context: Context,
  local: Local,
  before: RunView,
  after: RunView,
  options: JudgeOptions,
): Promise<Rejudged> {
  const client = await localClient(local);
  const comparison = await client.runs.compareJudges(before.runId, after.runId);
  const sentences = mayShowContent(context, options)
    ? await disputedSentences(client, after.runId, comparison, after.contract !== undefined)
    : new Map();
  return { before, after, comparison, sentences };
}
