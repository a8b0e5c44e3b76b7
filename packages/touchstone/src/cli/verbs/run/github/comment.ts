import { readFileSync } from 'node:fs';
import { isObject, parseJson } from '@touchstone/protocol';
import type { Io } from '../../../io.js';

/** A pull request, and how to write to it. */
type PullRequest = { readonly comments: string; readonly issueComments: string; readonly token: string };

type Comment = { readonly id?: unknown; readonly body?: unknown };

const PAGE = 100;
const MOST_PAGES = 30;
const TIMEOUT_MS = 15_000;

/**
 * Keeps one comment on a pull request up to date: the one whose first line is that of `body`. Returns what went wrong, in
 * words; undefined when nothing did, or when this is no pull request or there is no token.
 */
export async function writeComment(env: Io['env'], body: string): Promise<string | undefined> {
  const pull = pullRequestOf(env);
  if (!pull) return undefined;
  try {
    const id = await findComment(pull, body.slice(0, body.indexOf('\n')));
    const [method, url] =
      id === undefined
        ? (['POST', pull.comments] as const)
        : (['PATCH', `${pull.issueComments}/${id}`] as const);
    await send(pull, method, url, { body });
    return undefined;
  } catch (error) {
    const why = error instanceof AnswerError ? error.message : 'GitHub could not be reached';
    return `The comment on the pull request was not written: ${why}.`;
  }
}

function pullRequestOf({
  GITHUB_TOKEN: token,
  GITHUB_API_URL: api,
  GITHUB_REPOSITORY: repository,
  GITHUB_EVENT_PATH: event,
}: Io['env']): PullRequest | undefined {
  if (!token || !api || !repository || !event) return undefined;
  const number = pullNumber(event);
  if (number === undefined) return undefined;
  const issues = `${api}/repos/${repository}/issues`;
  return { token, comments: `${issues}/${number}/comments`, issueComments: `${issues}/comments` };
}

function pullNumber(file: string): number | undefined {
  try {
    const event = parseJson(readFileSync(file, 'utf8'));
    const pull = isObject(event) ? event.pull_request : undefined;
    return isObject(pull) && typeof pull.number === 'number' ? pull.number : undefined;
  } catch {
    return undefined;
  }
}

async function findComment(pull: PullRequest, firstLine: string): Promise<number | undefined> {
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const answer = await send(pull, 'GET', `${pull.comments}?per_page=${PAGE}&page=${page}`);
    const comments: readonly Comment[] = Array.isArray(answer) ? answer : [];
    const own = comments.find(
      ({ body }) => typeof body === 'string' && body.split(/\r?\n/, 1)[0] === firstLine,
    );
    if (typeof own?.id === 'number') return own.id;
    if (comments.length < PAGE) return undefined;
  }
  return undefined;
}

class AnswerError extends Error {}

/** A redirect is refused: the token is for this address alone. */
async function send({ token }: PullRequest, method: string, url: string, content?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': 'touchstone',
      'x-github-api-version': '2022-11-28',
      ...(content && { 'content-type': 'application/json' }),
    },
    ...(content && { body: JSON.stringify(content) }),
  });
  const text = await response.text();
  if (response.ok) return parseJson(text);
  const hint = response.status === 403 ? ' (a pull request from a fork may not write one)' : '';
  throw new AnswerError(`GitHub answered ${response.status}${hint}`);
}
