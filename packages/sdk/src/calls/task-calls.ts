import type { RunId, SearchTasks, TaskEvents, TaskList } from '@touchstone/protocol';
import type { Transport } from '../transport.js';
import { at, type Get, type Reading, VENDOR } from './calls.js';

/** Calls on single tasks of a run, and on their content. */
export function taskCalls(transport: Transport, get: Get) {
  return {
    /**
     * What happened in one task, with its content, and when its calls were made. A page ends by bytes; `cursor` is the
     * `nextCursor` of the page before.
     */
    taskEvents: (
      runId: RunId,
      taskId: string,
      { cursor, ...reading }: { readonly cursor?: string } & Reading = {},
    ): Promise<TaskEvents> =>
      get(`${VENDOR}/runs/${at(runId)}/tasks/${at(taskId)}/events`, reading, { cursor }),
    /** The tasks of a run whose input, answer or expected value has a text in it. Listed without content. */
    searchTasks: (runId: RunId, body: SearchTasks, reading?: Reading): Promise<TaskList> =>
      transport.json({
        method: 'POST',
        path: `${VENDOR}/runs/${at(runId)}/tasks:search`,
        body,
        readOnly: true,
        ...reading,
      }),
  };
}
