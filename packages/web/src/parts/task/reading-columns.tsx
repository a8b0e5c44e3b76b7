import type { TaskListing } from '@touchstone/protocol';
import { markHidden, score } from '@touchstone/sdk/view';
import type { TaskBody } from '../../queries/use-bodies.js';
import { Glyph } from '../glyphs.js';
import type { Column } from '../grid/grid.js';
import { outcomeOf } from './task-columns.js';

export const READING_HEIGHT = 120;

/** Tasks to be read one below the other: what was given, expected and answered, each as far as it fits. */
export const readingColumns = (
  hrefOf: (row: TaskListing) => string,
  bodyOf: (taskId: string) => TaskBody | undefined,
): readonly Column<TaskListing>[] => {
  const text = (name: 'input' | 'expected' | 'output', missing: string) => (row: TaskListing) => {
    const body = bodyOf(row.taskId);
    if (!body) return null;
    return body[name] === undefined ? <span class="muted">{missing}</span> : markHidden(body[name]);
  };
  return [
    { id: 'glyph', name: 'Outcome', cell: (row) => <Glyph outcome={outcomeOf(row)} /> },
    {
      id: 'reading-task',
      name: 'Task',
      order: 'id',
      isKept: true,
      cell: (row) => (
        <>
          <a href={hrefOf(row)} tabIndex={-1}>
            {row.taskId}
          </a>
          <br />
          {row.unscored ?? score(row.score)}
        </>
      ),
    },
    { id: 'input', name: 'Given', cell: text('input', '') },
    { id: 'expected', name: 'Expected', cell: text('expected', 'criteria') },
    { id: 'output', name: 'Answer', cell: text('output', 'no answer') },
  ];
};
