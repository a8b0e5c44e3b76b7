import { type Fork, plannedSteps } from '@touchstone/protocol';
import type { Blessing } from '../../../ports/index.js';
import type { ExitCode } from '../../exit.js';
import { asEvalRun, type EvalRun, findRun, noRun, stateOf } from '../../find-run.js';
import { type Context, isColoured, writeJson } from '../../io.js';
import { LOCAL_OWNER, LOCAL_PRINCIPAL, type Local, readStore } from '../../local.js';
import { commandToType } from '../../next-commands.js';
import { blessingDocument, renderBlessed } from '../../render/compare/baseline.js';
import { createInk } from '../../render/ink.js';
import { plural, whole } from '../../render/units.js';
import { UsageError } from '../../usage-error.js';

export async function blessCommand(context: Context, wanted: string): Promise<ExitCode> {
  return readStore(
    context,
    (local) => bless(context, local, wanted),
    () => {
      throw noRun(wanted);
    },
  );
}

async function bless(context: Context, { touchstone }: Local, wanted: string): Promise<ExitCode> {
  const { io, settings } = context;
  const { baselines } = touchstone.store;
  const run = asEvalRun(await findRun(touchstone, wanted));
  checkMeasured(context, run);
  const { suite, agent, judge } = run.plan;
  const before = await baselines.find(LOCAL_OWNER, {
    suite: suite.digest,
    agentId: agent.agentId,
    ...(judge && { judge: judge.digest }),
  });
  const isAlready = before?.runId === run.runId;
  const blessing = isAlready ? before : blessingOf(run, io.now());
  if (!isAlready) await baselines.bless(LOCAL_OWNER, blessing);
  const blessed = {
    blessing,
    notes: notesOf(run),
    ...(before && !isAlready && { replaced: before }),
    ...(isAlready && { isAlready: true as const }),
    ...(judge && { judge }),
    ...(run.headline && { outcome: run.headline }),
  };
  const { contractVerdict } = run.headline ?? {};
  if (settings.json)
    writeJson(io, {
      blessed: blessingDocument(blessing),
      ...(blessed.replaced && { replaced: blessingDocument(blessed.replaced) }),
      ...(isAlready && { already: true }),
      ...(contractVerdict && { contractVerdict }),
      notes: blessed.notes,
    });
  else {
    const look = { ink: createInk(isColoured(context, io.stdout)), width: io.stdout.columns };
    io.stdout.write(renderBlessed(blessed, io.now(), look));
  }
  return 0;
}

function blessingOf({ runId, plan, headline }: EvalRun, at: number): Blessing {
  const { agent, suite, judge } = plan;
  return {
    runId,
    suite,
    agent: { agentId: agent.agentId, version: agent.version, digest: agent.digest },
    ...(judge && { judge: judge.digest }),
    score: headline?.aggregateScore ?? 0,
    principal: LOCAL_PRINCIPAL.id,
    at,
  };
}

/** Others are measured by a baseline, so it must be a measurement itself. */
function checkMeasured(context: Context, run: EvalRun): void {
  const { runId, status, plan, headline } = run;
  if (status !== 'completed')
    throw new UsageError(
      `Run ${runId} is ${stateOf(run, context.io.now())}, and only a completed run can be a baseline.`,
      'See which are with: touchstone runs --status completed',
    );
  if (plan.fork) throw borrowed(context, runId, plan.fork);
  if (headline?.cacheHits)
    throw new UsageError(
      `${plural(headline.cacheHits, 'model call')} of run ${runId} came from the cache, so it did not measure them.`,
      'Run the suite again without --cache, and bless that run.',
    );
}

function borrowed(context: Context, runId: string, { mode, source }: Fork): UsageError {
  return mode === 'replay'
    ? new UsageError(
        `Run ${runId} is a replay of run ${source}, so it has measured nothing itself.`,
        `Bless the run it repeats: ${commandToType(context, `baseline bless ${source}`)}`,
      )
    : new UsageError(
        `Run ${runId} begins with what run ${source} recorded, so it has not measured every task itself.`,
        'Run the suite again as a whole, and bless that run.',
      );
}

/** What does not stand in the way, and should be known all the same. */
function notesOf({ plan, headline }: EvalRun): readonly string[] {
  const { totalTasks, model, judge, safetyJudge, rejudgeOf } = plan;
  const selected = plannedSteps(plan);
  return [
    ...(selected < totalTasks
      ? [
          `It ran ${whole(selected)} of the ${whole(totalTasks)} tasks: only runs of the same ones can be compared with it.`,
        ]
      : []),
    ...(headline?.unscored
      ? [`${plural(headline.unscored, 'task')} could not be scored, and will be left out of comparisons.`]
      : []),
    ...(rejudgeOf ? [`The answers are those of run ${rejudgeOf}, judged again.`] : []),
    ...(model?.mock || judge?.mock || safetyJudge?.mock
      ? ['A scripted model took part: its answers were written down beforehand and are evidence of nothing.']
      : []),
    ...(plan.targetMismatchAllowed ? ['The suite was made for another agent.'] : []),
    ...(plan.modes.includes('live-shadow')
      ? ['Live tools and memory were used: scores may differ next time.']
      : []),
  ];
}
