import { defined } from '@touchstone/protocol';
import { amount, closed, integer, mark, type Wire } from '@touchstone/protocol/schema';
import { outcomeOf, refOf } from '@touchstone/sdk/view';
import { UsageError } from '../../io.js';
import { type Session, withSession } from '../../session.js';
import { runOne } from '../../verbs/run/attempts.js';
import { exitOf, type RunView } from '../../verbs/run/result.js';
import { driverOf, watchedDriver } from '../../verbs/run/run-driver.js';
import type { RunOptions } from '../../verbs/run/run-options.js';
import { NothingToRun } from '../../verbs/run/task-choice.js';
import { checkAgent, sourceNamed } from '../choices.js';
import { failuresOf, messageOf, readView, USUAL_FAILURES } from '../run-words.js';
import { agentName, names, runResult, suiteName } from '../schemas.js';
import { type Call, type Limits, tool } from '../tool.js';

const input = closed(
  { suite: suiteName },
  {
    agent: agentName,
    only: names('Only these tasks: ids, or patterns with * and ?.'),
    tags: names('Only tasks with one of these tags.'),
    failed: mark('Only the tasks that did not pass in the newest run of this suite and agent.'),
    repeats: integer('Run every task so many times.', { minimum: 1, maximum: 100 }),
    budgetUsd: amount('Start no further task once so much is spent, in US dollars.'),
  },
);
type RunArguments = Wire<typeof input>;

export const runSuite = tool({
  name: 'run_suite',
  title: 'Run a suite',
  description:
    'Runs a suite of evaluation tasks against an agent of the configuration, as its files are now, and tells which tasks failed and why. May call models and cost money, at most the budget. The run is kept.',
  readOnly: false,
  input,
  output: runResult,
  async call(given, call) {
    const options = optionsOf(given, call.limits);
    try {
      return await withSession(call.context, {}, 'work', (session) => run(session, given, options, call));
    } catch (error) {
      if (!(error instanceof NothingToRun) || error.exitCode !== 0) throw error;
      return {
        outcome: 'nothing-to-run',
        exitCode: 0,
        message: `Nothing was run: ${error.message}`,
        ...NO_FAILURES,
      };
    }
  },
});

const NO_FAILURES = { failures: [], unscored: [] };

async function run(
  session: Session,
  given: RunArguments,
  options: RunOptions,
  { context, limits, progress }: Call,
) {
  const { client, local } = session;
  const source = await sourceNamed(context, session, given);
  await checkAgent(client, given.agent);
  const driver = driverOf(context.io, session);
  const told = local ? watchedDriver(driver, local, progress) : driver;
  const view = await runOne(context, session, told, source, options);
  const shown = await readView(client, view, USUAL_FAILURES, context.io.now());
  return resultOf({ ...shown, interrupted: view.interrupted }, limits);
}

function resultOf(view: RunView, { bodies }: Limits): Wire<typeof runResult> {
  const { runId, status, suite, agent, summary, report, counts, costUsd, error, caveats } = view;
  const outcome = outcomeOf(view);
  return {
    ...{ outcome, exitCode: exitOf(view), message: messageOf(view, outcome), runId, status },
    ...{ suite: refOf(suite), agent: `${agent.agentId}@${agent.version}`, tasks: counts },
    ...(outcome === 'unjudged'
      ? {}
      : defined({ score: summary?.aggregateScore, passed: summary?.passed, verdict: report?.verdict })),
    ...defined({ costUsd, caveats: caveats && [...caveats] }),
    ...(error && { error: { code: error.code, message: error.message } }),
    ...failuresOf(view, USUAL_FAILURES, bodies),
  };
}

/** The budget of a call is never above that of the server, and never absent. */
function optionsOf(given: RunArguments, { maxBudgetUsd, allowUnpriced }: Limits): RunOptions {
  const { agent, only, tags, failed, repeats, budgetUsd = maxBudgetUsd } = given;
  if (budgetUsd > maxBudgetUsd)
    throw new UsageError(
      `"budgetUsd" is ${budgetUsd}, and this server spends at most ${maxBudgetUsd} US dollars on a run.`,
      'Ask for less. Only the person who starts the server can allow more: touchstone mcp --max-budget <usd>',
    );
  const named = only ? { only: [...only] } : {};
  return {
    ...named,
    ...defined({ agent, failed, repeats, budget: budgetUsd }),
    ...(tags && { tag: [...tags] }),
    ...(allowUnpriced && { allowUnpriced }),
  };
}
