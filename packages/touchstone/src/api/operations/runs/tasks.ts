import {
  asId,
  defined,
  REVIEW_STATES,
  SEVERITIES,
  TASK_CHANGES,
  TASK_ORDERS,
  TASK_OUTCOMES,
  type TaskBodies,
  type TaskId,
  validationError,
} from '@touchstone/protocol';
import { type Body, fromBody } from '@touchstone/protocol/bodies';
import { taskLines } from '@touchstone/protocol/tasks';
import { vendor } from '@touchstone/protocol/wire';
import type { EvalRun, TaskOrder } from '../../../app/index.js';
import {
  type Answer,
  type Call,
  type Endpoint,
  endpoint,
  ok,
  type Reply,
  type TextReply,
} from '../../endpoint.js';
import {
  anyText,
  integerOr,
  optionalChoice,
  optionalChoices,
  optionalFraction,
  optionalInteger,
  optionalText,
  type QueryOf,
} from '../../query.js';
import { findEvalRun, type Services } from '../../services.js';

const filters = {
  outcome: optionalChoice('Only tasks on this side.', TASK_OUTCOMES),
  change: optionalChoices('Only tasks that changed like this.', TASK_CHANGES),
  against: optionalText('The run that changes are measured against; the baseline of the run when absent.'),
  slice: optionalText('Only tasks whose id begins with this, up to its first hyphen.'),
  id: optionalText('Only tasks whose id has this in it.'),
  q: optionalText('The same as id.'),
  finding: optionalText('Only tasks with a finding of this kind.'),
  severity: optionalChoice('Only tasks with a finding as bad as this.', SEVERITIES),
  criterion: optionalText('Only tasks that did not meet the criterion with this id.'),
  reviewed: optionalChoice('Only tasks whose review stands like this.', REVIEW_STATES),
  minScore: optionalFraction('Only tasks with at least this score.'),
  maxScore: optionalFraction('Only tasks with at most this score.'),
  minMs: optionalInteger('Only tasks that took at least so many milliseconds.', { min: 0 }),
  maxMs: optionalInteger('Only tasks that took at most so many milliseconds.', { min: 0 }),
};

const ORDERS: readonly TaskOrder[] = TASK_ORDERS.flatMap((order) => [order, `-${order}` as const]);
export const DEFAULT_LIMIT = 100;

export const listQuery = {
  ...filters,
  order: optionalChoice('What to sort by; a minus sorts the other way.', ORDERS),
  offset: integerOr(0, 'How many of the matching tasks to skip.', { min: 0 }),
  limit: optionalInteger('The most tasks of one page: 100 when absent, and all of them in a file.', {
    min: 1,
    max: 500,
  }),
  around: optionalText('The page that has the task with this id, instead of the one at offset.'),
  last: integerOr(0, 'Of how many runs of the same suite and agent to say how the task went.', {
    min: 0,
    max: 20,
  }),
};

const MEDIA_TYPES = ['application/json', 'text/csv', 'application/x-ndjson'] as const;
type MediaType = (typeof MEDIA_TYPES)[number];

/** The first of ours that the caller names; JSON when it names none. */
const mediaTypeOf = ({ headers }: Pick<Call, 'headers'>): MediaType =>
  MEDIA_TYPES.find((type) => type !== 'application/json' && headers.accept?.includes(type)) ??
  'application/json';

async function listTasks(
  host: Services,
  run: EvalRun,
  call: Call<QueryOf<typeof listQuery>>,
): Promise<Reply | TextReply> {
  const { query } = call;
  const type = mediaTypeOf(call);
  const limit = query.limit ?? (type === 'application/json' ? DEFAULT_LIMIT : Number.MAX_SAFE_INTEGER);
  const list = await host.touchstone.tasks.page(run, { ...query, limit, id: query.id ?? query.q });
  if (type === 'application/json') return { status: 200, body: list };
  return {
    status: 200,
    text: taskLines(type, list.items),
    headers: { 'content-type': `${type}; charset=utf-8` },
  };
}

const MOST_BODIES = 50;

const bodiesQuery = {
  tasks: anyText('Ids of tasks, at most 50, with commas between them.'),
  chars: integerOr(400, 'The most characters of each text.', { min: 1, max: 10_000 }),
};

async function readBodies(
  host: Services,
  run: EvalRun,
  { query }: Call<QueryOf<typeof bodiesQuery>>,
): Promise<Reply> {
  const ids = (query.tasks ?? '').split(',').filter((taskId) => taskId !== '');
  if (ids.length === 0 || ids.length > MOST_BODIES) {
    const message = `expected 1 to ${MOST_BODIES} ids of tasks with commas between them, got ${ids.length}`;
    throw validationError([{ pointer: '/tasks', message }], { field: 'tasks' });
  }
  const items: TaskBodies['items'][number][] = [];
  for (const taskId of ids) {
    const view = await host.touchstone.viewTask(run.owner, run.runId, asId<TaskId>(taskId));
    if (view) items.push(bodiesOf(view, query.chars));
  }
  return { status: 200, body: { items } };
}

type View = NonNullable<Awaited<ReturnType<Services['touchstone']['viewTask']>>>;

function bodiesOf(
  { taskId, expected, invocations: [first] }: View,
  chars: number,
): TaskBodies['items'][number] {
  const input = first ? textOf(first.input) : '';
  const wanted = expected.kind === 'golden' ? textOf(expected.match.value) : undefined;
  const output = first?.output === undefined ? undefined : textOf(first.output);
  const cut = [input, wanted, output].some((text = '') => text.length > chars);
  const short = (text: string | undefined) => text?.slice(0, chars);
  return {
    taskId,
    input: input.slice(0, chars),
    cut,
    ...defined({ expected: short(wanted), output: short(output) }),
  };
}

const textOf = (body: Body): string => {
  const value = fromBody(body);
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** The tasks of a run as lists, without a word of content; and the content of a few of them. */
export const taskListEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listTasks',
    route: 'GET /v1/host/touchstone/runs/{runId}/tasks',
    auth: 'runs:read',
    summary: 'The tasks of an eval run that have ended, filtered and sorted; without content',
    parameters: listQuery,
    responses: ok(
      'A page of them. Callers that accept text/csv or application/x-ndjson get all of them as lines.',
      vendor.taskList,
    ),
    refusals: ['not_found'],
    async handle(call): Promise<Answer> {
      const run = await findEvalRun(host, call);
      return { large: () => listTasks(host, run, call) };
    },
  }),
  endpoint({
    operationId: 'getFacets',
    route: 'GET /v1/host/touchstone/runs/{runId}/facets',
    auth: 'runs:read',
    summary: 'How the tasks of an eval run fall apart: counts by side, change, slice, finding and criterion',
    parameters: filters,
    responses: ok('The counts.', vendor.taskFacets),
    refusals: ['not_found'],
    async handle(call) {
      const run = await findEvalRun(host, call);
      const { query } = call;
      const facets = () => host.touchstone.tasks.facets(run, { ...query, id: query.id ?? query.q });
      return { large: async () => ({ status: 200, body: await facets() }) };
    },
  }),
  endpoint({
    operationId: 'getBodies',
    route: 'GET /v1/host/touchstone/runs/{runId}/bodies',
    auth: 'runs:read',
    summary: 'Input, expected value and answer of some tasks, in short',
    parameters: bodiesQuery,
    responses: ok('As far as the tasks have ended.', vendor.taskBodies),
    refusals: ['not_found'],
    async handle(call) {
      const run = await findEvalRun(host, call);
      return { large: () => readBodies(host, run, call) };
    },
  }),
];
