import { match, readAddress } from './address.js';
import { hostSource } from './host-source.js';
import { readTaskQuery } from './queries/task-query.js';
import { readFirstTasks } from './queries/use-task-pages.js';
import { fetchAhead, isSignedIn } from './session.js';

/**
 * Asks what the first screen will ask, before any of it is drawn: otherwise the page would learn only from one answer that it needs the
 * next one.
 */
export function askAhead(): void {
  if (!isSignedIn()) return;
  const { client, readSession } = hostSource(fetchAhead);
  const { path, query, text } = readAddress();
  void readSession(new AbortController().signal);
  const { runId } = match('/runs/:runId', path) ?? {};
  if (runId === undefined) return;
  void client.runs.get(runId as never);
  if (text === '') void readFirstTasks(client, runId, readTaskQuery(query).filter);
}
