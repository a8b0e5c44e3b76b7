import { type EvalRunSnapshot, isEvalRun, type RunSnapshot } from '@touchstone/sdk';
import { UsageError } from '../io.js';
import { isPart } from '../origin.js';
import { runPages } from '../run-lookup.js';
import type { Session } from '../session.js';

/** How far back two runs are looked for. */
const MOST_RUNS = 500;

/**
 * The newest run that has an earlier one of the same suite, agent and judge, and that one before it. With `common` they
 * may be of different states of the suite.
 */
export async function lastTwo(
  { client }: Session,
  here: string,
  common = false,
): Promise<readonly [before: string, after: string]> {
  const alike = new Map<string, string[]>();
  let seen = 0;
  for await (const page of runPages(client, { status: 'completed' })) {
    for (const run of page.filter(isOwn)) {
      const key = keyOf(run, common);
      alike.set(key, [...(alike.get(key) ?? []), run.runId]);
    }
    seen += page.length;
    if (seen >= MOST_RUNS) break;
  }
  const [after, before] = [...alike.values()].find((runs) => runs.length > 1) ?? [];
  if (before !== undefined && after !== undefined) return [before, after];
  throw new UsageError(
    `There are no two runs ${here} that can be compared: completed ones of the same suite, agent and judge.`,
    'Run the suite once more, or name any two: touchstone compare <before> <after>',
  );
}

/** A replay repeats a run, so it would be compared with itself. */
const isOwn = (run: RunSnapshot): run is EvalRunSnapshot =>
  isEvalRun(run) && run.touchstone.fork?.mode !== 'replay' && !isPart(run);

const keyOf = (
  { touchstone: { suite, agent, judge, contract } }: EvalRunSnapshot,
  common: boolean,
): string =>
  common
    ? JSON.stringify([suite.ref.split('@')[0], agent.agentId, contract])
    : JSON.stringify([suite.digest, agent.agentId, judge?.digest, contract]);
