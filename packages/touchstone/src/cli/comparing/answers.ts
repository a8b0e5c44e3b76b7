import type {
  CriterionId,
  Json,
  JsonObject,
  JudgeComparison,
  MeasuredRun,
  RunComparison,
  RunId,
  TaskId,
  TaskPair,
} from '@touchstone/protocol';
import { type Client, sentenceOf, type TaskView } from '@touchstone/sdk';
import { absent } from '../run-lookup.js';

/** What a run answered to a task: of several repeats the last one. */
export type TaskAnswer = { readonly output?: Json; readonly outcome: string; readonly reason?: string };

/** Two answers to one task. */
export type AnswerPair = { readonly taskId: TaskId; readonly before: TaskAnswer; readonly after: TaskAnswer };

/** What criteria say, by their names. */
export type Sentences = ReadonlyMap<CriterionId, string>;

export type Bodies = {
  readonly answers: readonly AnswerPair[];
  /** Tasks whose answers could be shown as well. */
  readonly moreAnswers: number;
  readonly sentences: Sentences;
  /** The runs whose answers have been removed. */
  readonly removed: readonly RunId[];
};

export const NO_BODIES: Bodies = { answers: [], moreAnswers: 0, sentences: new Map(), removed: [] };

type BodyOptions = {
  /** At most so many pairs of answers. */
  readonly answers: number;
  /** Of golden tasks answers are shown, of others criteria; of a single task both. */
  readonly golden: boolean;
};

/** The content behind a comparison. A run that came as a scorecard file has none. */
export async function readBodies(
  client: Client,
  comparison: RunComparison,
  options: BodyOptions,
): Promise<Bodies> {
  const { before, after, tasks } = comparison;
  const sentences = await changedSentences(client, comparison);
  if (before.imported || after.imported) return { ...NO_BODIES, sentences };
  const read = (run: MeasuredRun, { taskId }: TaskPair) => client.task(run.runId, taskId).catch(absent);
  const candidates = tasks.filter(
    (pair) => pair.before && pair.after && (!options.golden || pair.turn !== 'same'),
  );
  const answers: AnswerPair[] = [];
  const removed = new Set<RunId>();
  let passedOver = 0;
  for (const pair of candidates) {
    if (answers.length >= options.answers || removed.size > 0) break;
    const [then, now] = await Promise.all([read(before, pair), read(after, pair)]);
    for (const [run, view] of [
      [before, then],
      [after, now],
    ] as const)
      if (view?.bodiesRemovedAt !== undefined) removed.add(run.runId);
    if (!then || !now || removed.size > 0 || (options.golden && now.expected.kind !== 'golden'))
      passedOver += 1;
    else answers.push({ taskId: pair.taskId, before: answerOf(then), after: answerOf(now) });
  }
  const rest = candidates.slice(answers.length + passedOver);
  const moreAnswers = removed.size > 0 ? 0 : rest.filter(({ rubric }) => !rubric).length;
  return { answers, moreAnswers, sentences, removed: [...removed] };
}

function answerOf({ invocations }: TaskView): TaskAnswer {
  const { output, outcome = 'failed', reason } = invocations.at(-1) ?? {};
  return { ...(output !== undefined && { output }), outcome, ...(reason !== undefined && { reason }) };
}

async function changedSentences(
  client: Client,
  { before, after, criteria }: RunComparison,
): Promise<Sentences> {
  const side = after.imported ? 'before' : 'after';
  const run = after.imported ? before : after;
  if (run.imported) return new Map();
  return readSentences(
    client,
    run.runId,
    criteria.map(({ id, example }) => ({ id, taskId: example.taskId, position: example[side] })),
    sentenceOf,
  );
}

/** Of the criteria that two judges differ about. Under a contract a criterion is its text, whatever it looks like. */
export const disputedSentences = (
  client: Client,
  runId: RunId,
  { disputed }: JudgeComparison,
  hasContract: boolean,
): Promise<Sentences> =>
  readSentences(
    client,
    runId,
    disputed.map(({ id, example }) => ({ id, ...example })),
    hasContract ? (text) => text : sentenceOf,
  );

type CriterionPosition = { readonly id: CriterionId; readonly taskId: TaskId; readonly position: number };

/** Results name a criterion; its sentence stands in the rubric of a task that has it. */
async function readSentences(
  client: Client,
  runId: RunId,
  places: readonly CriterionPosition[],
  sentence: (criterion: string) => string,
): Promise<Sentences> {
  const sentences = new Map<CriterionId, string>();
  for (const { id, taskId, position } of places) {
    const view = await client.task(runId, taskId).catch(absent);
    const rubric = view?.expected.kind === 'rubric' ? (view.expected.rubric as readonly JsonObject[]) : [];
    const criterion = rubric[position]?.criterion;
    if (typeof criterion === 'string') sentences.set(id, sentence(criterion));
  }
  return sentences;
}
