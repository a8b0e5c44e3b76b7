import type { Json, TaskBodies, TaskId, TaskView } from '@touchstone/protocol';
import type { PolledEvents } from '@touchstone/sdk';
import type { FileLog, FileTask, PageFile, RunInFile } from '@touchstone/sdk/view';
import { type Answers, LEFT_OUT, numberIn, type Question } from './question.js';
import { filterOf, tasksOf } from './task-lists.js';

/** What is answered about the content of tasks. A file without it has the figures of a task all the same. */
export const contentAnswers = (file: PageFile): Answers => ({
  task: ({ run, taskId }) => viewOf(run, taskId),
  'task events': ({ run, taskId }) => timelineOf(run, taskId),
  'events/poll': ({ run, query }) => run.content && eventsOf(run.content.log, query),
  annotations: ({ run, query }) => ({
    annotations: run.content?.remarks[query.get('taskId') ?? ''] ?? [],
  }),
  bodies: ({ run, query }) =>
    run.content && {
      items: (query.get('tasks') ?? '').split(',').flatMap((taskId) => {
        const view = viewOf(run, taskId);
        return view ? [excerptOf(view, Number(query.get('chars') ?? 400))] : [];
      }),
    },
  'tasks:search': (question) => searchOf(file, question),
});

function viewOf({ tasks, content }: RunInFile, taskId: string): TaskView | undefined {
  if (content) return content.tasks.find((task) => task.taskId === taskId);
  const task = tasks.find(({ result }) => result.taskId === taskId);
  return task && figuresOf(task);
}

/** A task whose content is not in the file: what was measured, for each repeat. */
function figuresOf({ result }: FileTask): TaskView {
  const { taskId, score, passed, unscored, outcome = 'completed', repeats = [score] } = result;
  return {
    taskId,
    score,
    passed,
    ...(unscored && { unscored }),
    expected: {},
    invocations: repeats.map((value, at) => ({
      invocationId: String(at),
      outcome,
      toolCalls: [],
      result: { ...result, score: value },
    })),
  } as unknown as TaskView;
}

function timelineOf({ content }: RunInFile, taskId: string) {
  if (!content) return undefined;
  const items = content.log.events.filter(({ nodeId }) => nodeId === taskId);
  if (items.length === 0 && content.log.leftOut) return LEFT_OUT;
  return { items, spans: content.log.spans[taskId] ?? [] };
}

/** The log after an event, as the host tells it. */
function eventsOf({ events }: FileLog, query: URLSearchParams): PolledEvents {
  const [after, limit] = [numberIn(query, 'lastSequence', -1), numberIn(query, 'limit', events.length)];
  const types = query.get('types')?.split(',');
  const rest = events.filter(({ sequence, type }) => sequence > after && (types?.includes(type) ?? true));
  const page = rest.slice(0, limit);
  const last = page.at(-1)?.sequence;
  return {
    events: page,
    isComplete: page.length === rest.length,
    ...(last !== undefined && { lastSequence: last }),
  };
}

const textOf = (value: unknown): string | undefined =>
  value === undefined || typeof value === 'string' ? value : JSON.stringify(value);

const expectedOf = ({ expected }: TaskView): Json | undefined =>
  (expected.match as { readonly value?: Json } | undefined)?.value;

function excerptOf(view: TaskView, chars: number): TaskBodies['items'][number] {
  const [first] = view.invocations;
  const texts = {
    input: textOf(first?.input),
    expected: textOf(expectedOf(view)),
    output: textOf(first?.output),
  };
  const short = Object.entries(texts).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text.slice(0, chars)]],
  );
  const cut = Object.values(texts).some((text = '') => text.length > chars);
  return { taskId: view.taskId as TaskId, input: '', cut, ...Object.fromEntries(short) };
}

/** Tasks whose input, expected value or answers have a text in them. */
function searchOf(file: PageFile, { run, query }: Question) {
  const text = (query.get('text') ?? '').toLowerCase();
  const has = (value: unknown): boolean => textOf(value)?.toLowerCase().includes(text) ?? false;
  const views = run.content?.tasks.filter((view) =>
    [expectedOf(view), ...view.invocations.flatMap(({ input, output }) => [input, output])].some(has),
  );
  if (!views) return undefined;
  const among = new Set(views.map(({ taskId }) => taskId));
  return tasksOf(file, { run, query }, { ...filterOf(query), among });
}
