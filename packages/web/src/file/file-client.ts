import { type Annotation, type Client, HostResponseError } from '@touchstone/sdk';
import type { PageFile } from '@touchstone/sdk/view';
import { answerFrom, NOT_IN_FILE } from './answers.js';

type Query = { readonly [name: string]: unknown };

/** What a list or a figure is asked for, as an address would have it. */
const queryOf = (query: object): URLSearchParams =>
  new URLSearchParams(
    Object.entries(query as Query)
      .filter(([name, value]) => value !== undefined && name !== 'signal')
      .map(([name, value]) => [name, String(value)]),
  );

/** Whatever else a host can be asked. It is no promise, although any name leads on. */
const absent: object = new Proxy(async () => Promise.reject(new HostResponseError(404, NOT_IN_FILE)), {
  get: (_, name) => absentOf(name),
});
const absentOf = (name: string | symbol): object | undefined => (name === 'then' ? undefined : absent);

/**
 * What the page asks of a host, asked of the data of a file. It has no part of the client that makes requests: a page in a file makes none,
 * and what it does not use would take room in every file.
 */
export function fileClient(file: PageFile): Client {
  const ask = async (part: string, query: object = {}, runId = '', taskId = ''): Promise<never> => {
    const { status, answer } = answerFrom(file, { part, runId, taskId, query: queryOf(query) });
    if (status !== 200) throw new HostResponseError(status, answer as never);
    return answer as never;
  };
  const runs = {
    list: () => ask('runs'),
    get: (runId) => ask('run', {}, runId),
    report: (runId, query) => ask('report', query, runId),
    contractReport: (runId) => ask('contract-report', {}, runId),
    tasks: (runId, query) => ask('tasks', query, runId),
    searchTasks: (runId, { text, filters }) => ask('tasks:search', { ...filters, text }, runId),
    facets: (runId, filter) => ask('facets', filter, runId),
    bodies: (runId, tasks, query) => ask('bodies', { ...query, tasks }, runId),
    taskEvents: (runId, taskId) => ask('task events', {}, runId, taskId),
    annotations: async (runId, query) =>
      ((await ask('annotations', query, runId)) as { readonly annotations: readonly Annotation[] })
        .annotations,
  } satisfies Partial<Client['runs']>;
  const others = {
    task: (runId, taskId) => ask('task', {}, runId, taskId),
    matrix: (query) => ask('matrix', query),
    pollEvents: (runId, { after, ...query } = {}) =>
      ask('events/poll', { ...query, lastSequence: after }, runId),
  } satisfies Partial<Client>;
  return orAbsent({ ...others, runs: orAbsent(runs) }) as unknown as Client;
}

const orAbsent = <T extends object>(own: T): T =>
  new Proxy(own, { get: (parts, name) => Reflect.get(parts, name) ?? absentOf(name) });
