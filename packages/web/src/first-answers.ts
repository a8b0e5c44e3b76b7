import type { TaskListQuery } from '@touchstone/sdk';

// Answers to what the first screen needs. A small script of its own asks for them (first-questions.ts), before the script of the page is there.

/** An answer on its way; the value once it is there. Whatever went wrong is left to the page, which asks again and tells. */
type FirstAnswer<T = unknown> = { readonly coming: Promise<T | undefined>; value?: T | undefined };

declare global {
  /** By what they answer. Two scripts share it, so it stands where both find it. */
  var touchstoneFirst: Map<string, FirstAnswer> | undefined;
}

export const SESSION = 'session';
export const runKey = (runId: string): string => `run ${runId}`;
export const tasksKey = (runId: string, filter: TaskListQuery): string =>
  `tasks ${runId} ${JSON.stringify(filter)}`;

/** Asks, and keeps the answer for whoever needs it first. */
export function askFirst(key: string, url: string, init: RequestInit): void {
  globalThis.touchstoneFirst ??= new Map();
  const coming = fetch(url, init)
    .then((response) => (response.ok ? response.json() : undefined))
    .catch(() => undefined);
  const answer: FirstAnswer = { coming };
  void coming.then((value) => {
    answer.value = value;
  });
  globalThis.touchstoneFirst.set(key, answer);
}

/** What was answered already. */
export const firstValue = <T>(key: string): T | undefined =>
  globalThis.touchstoneFirst?.get(key)?.value as T | undefined;

/** The answer, or that it is on its way. Whoever takes it is the only one: later questions are about later facts. */
export function takeFirst<T>(key: string): FirstAnswer<T> | undefined {
  const answer = globalThis.touchstoneFirst?.get(key);
  globalThis.touchstoneFirst?.delete(key);
  return answer as FirstAnswer<T> | undefined;
}

/** Until all answers are there, or people would begin to wonder. */
export const untilAnswered = (patienceMs: number): Promise<unknown> =>
  Promise.race([
    Promise.all([...(globalThis.touchstoneFirst?.values() ?? [])].map(({ coming }) => coming)),
    new Promise((resolve) => setTimeout(resolve, patienceMs)),
  ]);
