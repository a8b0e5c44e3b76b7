import { type LineType, taskLines } from '@touchstone/protocol/tasks';
import type { PageFile } from '@touchstone/sdk/view';
import type { Source } from '../source.js';
import { answerFrom } from './answers.js';
import { fileClient } from './file-client.js';
import { runOf } from './question.js';

/** The file that this page is in. No request is ever made: what a host would answer is made of the data. */
export const fileSource = (file: PageFile): Source => ({
  client: fileClient(file),
  fetch: async (path, { headers }) => linesFrom(file, path, new Headers(headers).get('accept') as LineType),
  readSession: async () => ({
    ...{ tenant: '', workspace: '', principal: '' as never, roles: [], scopes: ['runs:read'] },
    host: { version: file.version },
  }),
  tagsOf: (runId, taskId) =>
    runOf(file, runId)?.tasks.find(({ result }) => result.taskId === taskId)?.tags ?? [],
  leftOutOf: (runId) => runOf(file, runId)?.content?.log.leftOut ?? 0,
  hasContent: file.content !== 'left-out',
});

/** All tasks that a list has, one line each. */
function linesFrom(file: PageFile, path: string, type: LineType): Response {
  const [, runId = '', search] = /runs\/([^/]+)\/tasks\??(.*)/.exec(path) ?? [];
  const query = new URLSearchParams(search);
  query.set('limit', String(Number.MAX_SAFE_INTEGER));
  const asked = { part: 'tasks', runId: decodeURIComponent(runId), taskId: '', query };
  const { status, answer } = answerFrom(file, asked);
  if (status !== 200) return new Response(JSON.stringify(answer), { status });
  return new Response(taskLines(type, (answer as { readonly items: never }).items), { status });
}
