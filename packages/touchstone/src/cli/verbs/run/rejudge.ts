import { defined } from '@touchstone/protocol';
import { collectRun } from '@touchstone/sdk';
import { disputedSentences } from '../../comparing/answers.js';
import { judgeReference } from '../../files/judge-choice.js';
import { type Context, type ExitCode, lookOf, mayShowContent, writeJson } from '../../io.js';
import { comparisonDocument, type Rejudged, renderComparison } from '../../render/compare/comparison.js';
import { documentOf } from '../../render/run/document.js';
import { asEvalRun, findRun } from '../../run-lookup.js';
import { type Session, type Where, withKeptRun } from '../../session.js';
import type { JudgeOptions } from '../runs/judge-check.js';
import { finishRun } from './attempts.js';
import { tellResult } from './report.js';
import { exitOf, type RunView } from './result.js';
import { driverOf } from './run-driver.js';

type RejudgeOptions = JudgeOptions & Where;

/** Has the answers of a run judged again, and puts both verdicts side by side. */
export async function rejudgeCommand(
  context: Context,
  wanted: string,
  options: RejudgeOptions,
): Promise<ExitCode> {
  return withKeptRun(context, options, 'judges', wanted, async (session) => {
    const { client } = session;
    const driver = driverOf(context.io, session);
    const source = asEvalRun(await findRun(client, wanted));
    const { votes } = options;
    const judge = await judgeReference(context.io, options.judge, session.client.judges.install);
    const runId = await driver.rejudge(source.runId, defined({ judge, votes }));
    const after = await finishRun(context, session, driver, runId, options);
    const before = await collectRun(client, source.runId, { bodies: 0, now: context.io.now() });
    await tell(context, session, before, after, options);
    return exitOf(after);
  });
}

async function tell(
  context: Context,
  session: Session,
  before: RunView,
  after: RunView,
  options: RejudgeOptions,
): Promise<void> {
  const { io, settings } = context;
  // A run that was stopped has judged some of the answers, and half a comparison is none.
  const rejudged = after.summary ? await compareBoth(context, session, before, after, options) : undefined;
  tellResult(context, after, options);
  if (settings.json)
    writeJson(io, { ...documentOf(after), ...(rejudged && { comparison: comparisonDocument(rejudged) }) });
  else if (rejudged) io.stdout.write(`\n${renderComparison(rejudged, lookOf(context))}`);
}

async function compareBoth(
  context: Context,
  { client }: Session,
  before: RunView,
  after: RunView,
  options: JudgeOptions,
): Promise<Rejudged> {
  const comparison = await client.runs.compareJudges(before.runId, after.runId);
  const sentences = mayShowContent(context, options)
    ? await disputedSentences(client, after.runId, comparison, after.contract !== undefined)
    : new Map();
  return { before, after, comparison, sentences };
}
