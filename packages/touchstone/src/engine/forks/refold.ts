import {
  type EvalPlan,
  type EvalSummary,
  type Fork,
  type Json,
  jsonEqual,
  type RepeatScore,
  type SummaryTotals,
  taskScore,
  withoutContractOutcome,
} from '@touchstone/protocol';
import { eventIdOf, type NewEvent, type Payloads } from '@touchstone/protocol/bodies';
import type { Run, StoredEntry } from '../../ports/index.js';
import { agentClosing } from '../kinds/agent.js';
import { closeEval } from '../kinds/eval-closing.js';
import { type EvalSuite, openEvalSuite, resultOf } from '../kinds/eval-run.js';
import type { Closing } from '../kinds/run-kind.js';
import { createTaskSource, type TaskSource } from '../kinds/task-source.js';
import { workflowClosing } from '../kinds/workflow.js';
import { readResults } from '../log/read-results.js';
import type { Parts } from '../parts.js';

/** Folds what is recorded again; answers a note for everything that comes out differently. Calls no agent. */
export type Refold = (stored: StoredEntry) => Promise<readonly NewEvent[]>;

type EvalFold = EvalSuite & { readonly plan: EvalPlan; readonly taskAt: TaskSource };

/** History before the point the replay was asked for is taken as it is. */
export async function createRefold(parts: Parts, run: Run, fork: Fork, source: Run): Promise<Refold> {
  const { plan } = run;
  const fold = plan.kind === 'eval' ? await openFold(parts, run, plan) : undefined;
  const note = (atSequence: number): NewEvent => ({
    type: 'replay.diverged',
    at: parts.clock.now(),
    payload: {
      sourceRunId: fork.source,
      atSequence,
      originalEventId: eventIdOf(fork.source, atSequence),
      divergenceKind: 'output',
    },
  });
  return async (stored) => {
    if (stored.firstSequence < fork.fromSeq) return [];
    const { entry, firstSequence, eventCount } = stored;
    if (entry.kind === 'step')
      return !fold || (await isSameResult(parts, fold, stored)) ? [] : [note(firstSequence + eventCount - 1)];
    const end = entry.events.at(-1);
    if (end?.type !== 'run.completed') return [];
    const closing = await closingOf(parts, run, fold, end.payload);
    const folded = [...closing.events.map(({ payload }) => payload), closing];
    return entry.events.flatMap((event, at) =>
      isSameEvent(event, folded[at], source.headline) ? [] : [note(firstSequence + at)],
    );
  };
}

async function openFold(parts: Parts, run: Run, plan: EvalPlan): Promise<EvalFold> {
  const suite = await openEvalSuite(parts, run, plan);
  return { ...suite, plan, taskAt: createTaskSource(parts, run.owner, plan.suite.digest) };
}

async function isSameResult(parts: Parts, fold: EvalFold, stored: StoredEntry): Promise<boolean> {
  const { entry, records } = stored;
  if (entry.kind !== 'step') return true;
  const scores = records.flatMap(({ score }): RepeatScore[] => (score ? [score] : []));
  const folded = resultOf(parts, fold, await fold.taskAt(entry.ordinal), scores);
  return entry.result !== undefined && isSame(folded, entry.result);
}

/** Written down and read again, so that a member that is absent and one that is undefined are the same. */
const isSame = (folded: unknown, recorded: unknown): boolean => jsonEqual(written(folded), written(recorded));
const written = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null)) as Json;

/** How the run ends, folded from what has been copied of it. */
async function closingOf(
  parts: Parts,
  run: Run,
  fold: EvalFold | undefined,
  { outputs }: Payloads['run.completed'],
): Promise<Closing> {
  if (!fold) return plainClosing(parts, run);
  const { plan, head } = fold;
  const recorded = outputs as SummaryTotals & Partial<EvalSummary>;
  const closing = await closeEval(parts, run, plan, head, recorded.evaluatedModelClass, 0);
  if (!recorded.tasks) return closing;
  // Earlier releases stored the list of tasks (decision 129), so it is held against the results like everything else.
  const steps = (await readResults(parts.store, run)).toSorted((a, b) => a.ordinal - b.ordinal);
  const outputsThen = { ...closing.outputs, tasks: steps.map(({ result }) => taskScore(result)) };
  return { ...closing, outputs: outputsThen as EvalSummary };
}

/** The last event has the outputs; the numbers kept beside the run are to be those of the same fold. */
function isSameEvent(
  event: NewEvent,
  folded: NewEvent['payload'] | Closing | undefined,
  headline: Run['headline'],
): boolean {
  if (event.type !== 'run.completed') return isSame(folded, event.payload);
  const closing = folded as Closing;
  return isSame(
    [comparable(closing.outputs), closing.headline && withoutContractOutcome(closing.headline, headline)],
    [comparable(event.payload.outputs), headline],
  );
}

const plainClosing = (parts: Parts, run: Run): Promise<Closing> =>
  run.plan.kind === 'workflow' ? workflowClosing(parts, run, run.plan) : agentClosing(parts, run);

/** `diffRef` names the run itself, so it differs between runs whose results are equal. */
function comparable(outputs: Closing['outputs']): object | undefined {
  const { regression, ...summary } = (outputs ?? {}) as SummaryTotals;
  if (!regression) return outputs;
  const { diffRef: _, ...found } = regression;
  return { ...summary, regression: found };
}
