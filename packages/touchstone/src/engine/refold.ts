import {
  type EvalPlan,
  type EvalSummary,
  type Fork,
  type Json,
  jsonEqual,
  type RepeatScore,
  type TaskResult,
} from '@touchstone/contract';
import { eventIdOf, type NewEvent, type Payloads } from '@touchstone/contract/bodies';
import type { Run, StoredEntry, SuiteHead } from '@touchstone/contract/ports';
import type { Parts } from './parts.js';
import { agentClosing } from './programs/agent.js';
import { closeEval } from './programs/eval-closing.js';
import { openSuite, resultOf } from './programs/eval-frame.js';
import type { Closing } from './programs/program.js';
import { createTaskSource, type TaskSource } from './programs/task-source.js';
import { workflowClosing } from './programs/workflow.js';

/** Folds what is recorded again; answers a note for everything that comes out differently. Asks nobody. */
export type Refold = (stored: StoredEntry) => Promise<readonly NewEvent[]>;

type Frame = { readonly plan: EvalPlan; readonly head: SuiteHead; readonly taskAt: TaskSource };

/** History before the point the replay was asked for is taken as it is. */
export async function createRefold(parts: Parts, run: Run, fork: Fork): Promise<Refold> {
  const { plan } = run;
  const frame = plan.kind === 'eval' ? await openFrame(parts, run, plan) : undefined;
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
      return !frame || (await isSameResult(parts, frame, stored))
        ? []
        : [note(firstSequence + eventCount - 1)];
    const at = entry.events.findIndex(({ type }) => type === 'run.completed');
    const completed = entry.events[at];
    if (completed?.type !== 'run.completed') return [];
    return (await isSameEnd(parts, run, frame, completed.payload)) ? [] : [note(firstSequence + at)];
  };
}

async function openFrame(parts: Parts, run: Run, plan: EvalPlan): Promise<Frame> {
  const head = await openSuite(parts, run, plan);
  return { plan, head, taskAt: createTaskSource(parts, run.owner, plan.suite.digest) };
}

async function isSameResult(parts: Parts, { head, taskAt }: Frame, stored: StoredEntry): Promise<boolean> {
  const { entry, records } = stored;
  if (entry.kind !== 'step') return true;
  const scores = records.flatMap(({ score }): RepeatScore[] => (score ? [score] : []));
  const folded = resultOf(parts, head, await taskAt(entry.ordinal), scores);
  return entry.result !== undefined && isSame<TaskResult>(folded, entry.result);
}

/** Written down and read again, so that a member that is absent and one that is undefined are the same. */
const isSame = <T>(folded: T, recorded: T): boolean =>
  jsonEqual(JSON.parse(JSON.stringify(folded)) as Json, JSON.parse(JSON.stringify(recorded)) as Json);

async function isSameEnd(
  parts: Parts,
  run: Run,
  frame: Frame | undefined,
  { outputs }: Payloads['run.completed'],
): Promise<boolean> {
  if (!frame) return isSame((await plainClosing(parts, run)).outputs, outputs);
  const recorded = outputs as EvalSummary;
  const { plan, head } = frame;
  const closing = await closeEval(parts, run, plan, head, recorded.evaluatedModelClass, 0);
  return isSame(withoutAddress(closing.outputs as EvalSummary), withoutAddress(recorded));
}

const plainClosing = (parts: Parts, run: Run): Promise<Closing> =>
  run.plan.kind === 'workflow' ? workflowClosing(parts, run, run.plan) : agentClosing(parts, run);

/** Where the diff can be read names the run it is in, and is no finding of it. */
function withoutAddress(summary: EvalSummary): EvalSummary {
  if (!summary.regression) return summary;
  const { diffRef: _, ...regression } = summary.regression;
  return { ...summary, regression };
}
