import { type LineType, taskLines } from '@touchstone/protocol/tasks';
import { createClient } from '@touchstone/sdk';
import type { PageFile } from '@touchstone/sdk/view';
import type { Source } from '../source.js';
import { answerFrom } from './answers.js';
import { runOf } from './question.js';

/** A client needs an address; nobody is asked there. */
const NOWHERE = 'http://file.invalid';

/** The file that this page is in. No request is ever made: what a host would answer is made of the data. */
export const fileSource = (file: PageFile): Source => ({
  client: createClient({
    baseUrl: NOWHERE,
    fetch: async (url, { body }) => {
      const { status, answer } = answerFrom(file, new URL(url), typeof body === 'string' ? body : undefined);
      return new Response(JSON.stringify(answer), { status });
    },
    retry: { attempts: 1, streamAttempts: 1 },
  }),
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
  const url = new URL(path, NOWHERE);
  url.searchParams.set('limit', String(Number.MAX_SAFE_INTEGER));
  const { status, answer } = answerFrom(file, url);
  if (status !== 200) return new Response(JSON.stringify(answer), { status });
  return new Response(taskLines(type, (answer as { readonly items: never }).items), { status });
}
