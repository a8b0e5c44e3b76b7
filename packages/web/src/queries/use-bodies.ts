import type { TaskBodies, TaskListing } from '@touchstone/protocol';
import { useEffect, useRef, useState } from 'preact/hooks';
import { client } from '../source.js';

export type TaskBody = TaskBodies['items'][number];

/** So many tasks are asked for at once, and so many are kept. */
const AT_ONCE = 50;
const MOST = 500;

/** Inputs and answers, in short, of the tasks that are in sight. */
export function useBodies(
  runId: string,
  isOn: boolean,
  rowAt: (index: number) => TaskListing | undefined,
): {
  readonly of: (taskId: string) => TaskBody | undefined;
  readonly onSight: (from: number, to: number) => void;
} {
  const bodies = useRef(new Map<string, TaskBody | undefined>());
  const sight = useRef<readonly [number, number]>([0, AT_ONCE]);
  const [, redraw] = useState(0);
  const read = (): void => {
    if (!isOn) return;
    const known = bodies.current;
    const [from, to] = sight.current;
    const rows = Array.from({ length: Math.max(0, to - from) }, (_, at) => rowAt(from + at)?.taskId);
    const missing = rows.flatMap((taskId) => (taskId === undefined || known.has(taskId) ? [] : [taskId]));
    if (missing.length === 0) return;
    for (const taskId of missing.slice(0, AT_ONCE)) known.set(taskId, undefined);
    client.runs.bodies(runId as never, missing.slice(0, AT_ONCE)).then(
      ({ items }) => {
        for (const body of items) known.set(body.taskId, body);
        for (const oldest of known.keys()) if (known.size > MOST) known.delete(oldest);
        redraw((count) => count + 1);
      },
      () => {
        for (const taskId of missing) known.delete(taskId);
      },
    );
  };
  // Rows come later than the wish to see them.
  useEffect(read);
  return {
    of: (taskId) => bodies.current.get(taskId),
    onSight(from, to) {
      sight.current = [from, to];
      read();
    },
  };
}
