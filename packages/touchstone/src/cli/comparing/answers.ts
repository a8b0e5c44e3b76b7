import type { CriterionId, Json, RunId, TaskId, TaskResult } from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import type { LocalTouchstone, TaskView } from '../../app/index.js';
import { LOCAL_OWNER } from '../local.js';
import { sentenceOf } from '../verbs/run/collect-result.js';
import type { ChangedCriterion } from './compare-criteria.js';
import { type Comparison, type TaskPair, turnOf } from './compare-sides.js';
import type { Side } from './side.js';

/** What a run answered to a task: of several repeats the last one. */
export type Answer = { readonly output?: Json; readonly outcome: string; readonly reason?: string };

/** Two answers to one task, the question to which is known. */
export type AnswerPair = { readonly taskId: TaskId; readonly before: Answer; readonly after: Answer };

export type Bodies = {
  readonly answers: readonly AnswerPair[];
  /** Tasks whose answers could be shown as well. */
  readonly moreAnswers: number;
  readonly sentences: ReadonlyMap<CriterionId, string>;
};

export const NO_BODIES: Bodies = { answers: [], moreAnswers: 0, sentences: new Map() };

type Asked = {
  /** At most so many pairs of answers. */
  readonly answers: number;
  /** Golden tasks are told by their answers, others by their criteria; a single task by both. */
  readonly golden: boolean;
};

/** The content behind a comparison. A run that came as a scorecard file has none. */
export async function readBodies(
  touchstone: LocalTouchstone,
  { before, after, tasks, criteria }: Comparison,
  asked: Asked,
): Promise<Bodies> {
  const sentences = await readSentences(touchstone, after.imported ? before : after, criteria);
  if (before.imported || after.imported) return { ...NO_BODIES, sentences };
  const read = (side: Side, { taskId }: TaskPair) => touchstone.viewTask(LOCAL_OWNER, side.runId, taskId);
  const candidates = tasks.filter((pair) => pair.before && pair.after && hasMoved(pair, asked));
  const answers: AnswerPair[] = [];
  let passedOver = 0;
  for (const pair of candidates) {
    if (answers.length >= asked.answers) break;
    const [then, now] = await Promise.all([read(before, pair), read(after, pair)]);
    if (!then || !now || (asked.golden && now.expected.kind !== 'golden')) passedOver += 1;
    else answers.push({ taskId: pair.taskId, before: answerOf(then), after: answerOf(now) });
  }
  const rest = candidates.slice(answers.length + passedOver);
  return { answers, moreAnswers: countGolden(rest, after), sentences };
}

const hasMoved = (pair: TaskPair, { golden }: Asked): boolean => !golden || turnOf(pair) !== 'same';

/** Only rubrics leave criteria behind, so no view has to be opened to tell the kinds apart. */
function countGolden(pairs: readonly TaskPair[], { results }: Side): number {
  const rubrics = new Set(results.filter(({ criteria }) => criteria).map(({ taskId }) => taskId));
  return pairs.filter(({ taskId }) => !rubrics.has(taskId)).length;
}

function answerOf({ invocations }: TaskView): Answer {
  const shown = invocations.at(-1);
  return {
    ...(shown?.output !== undefined && { output: fromBody(shown.output) }),
    outcome: shown?.outcome ?? 'failed',
    ...(shown?.reason !== undefined && { reason: shown.reason }),
  };
}

/** The results name a criterion; its sentence stands at the same place of the task's rubric. */
async function readSentences(
  touchstone: LocalTouchstone,
  side: Side,
  criteria: readonly ChangedCriterion[],
): Promise<Bodies['sentences']> {
  const sentences = new Map<CriterionId, string>();
  if (side.imported) return sentences;
  const results = new Map(side.results.map((result) => [result.taskId, result]));
  for (const { id, example } of criteria) {
    const sentence = await readSentence(touchstone, side.runId, results.get(example), id);
    if (sentence !== undefined) sentences.set(id, sentence);
  }
  return sentences;
}

async function readSentence(
  touchstone: LocalTouchstone,
  runId: RunId,
  result: TaskResult | undefined,
  wanted: CriterionId,
): Promise<string | undefined> {
  if (!result) return undefined;
  const place = (result.criteria ?? []).findIndex(({ id }) => id === wanted);
  const view = await touchstone.viewTask(LOCAL_OWNER, runId, result.taskId);
  const criterion = view?.expected.kind === 'rubric' ? view.expected.rubric[place] : undefined;
  return criterion && sentenceOf(criterion.criterion);
}
