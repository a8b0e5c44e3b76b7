import { match, readAddress } from './address.js';
import { askFirst, runKey, SESSION, tasksKey } from './first-answers.js';
import { applyTheme, kept } from './parts/appearance.js';
import { readTaskQuery } from './queries/task-query.js';
import { FIRST_TASKS } from './queries/use-task-pages.js';

// The first script that runs. It is small, so it asks for what the first screen needs while the script of the page is still on its way.

const session = kept('session');

const ask = (key: string, path: string): void =>
  askFirst(key, path, { headers: { 'touchstone-session': session ?? '' } });

function askForRun(runId: string): void {
  const { query, text } = readAddress();
  const escaped = encodeURIComponent(runId);
  const { filter } = readTaskQuery(query);
  const search = new URLSearchParams({ ...filter, ...FIRST_TASKS } as never);
  ask(runKey(runId), `/v1/runs/${escaped}`);
  if (text === '') ask(tasksKey(runId, filter), `/v1/host/touchstone/runs/${escaped}/tasks?${search}`);
}

applyTheme();
if (session !== null) {
  const { runId } = match('/runs/:runId', readAddress().path) ?? {};
  if (runId !== undefined) askForRun(runId);
  ask(SESSION, '/v1/host/touchstone/session');
}
