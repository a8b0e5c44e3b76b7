import type { Issue } from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import { checkForeignSchema } from '../../agents/index.js';
import type { Suite } from '../../ports/index.js';
import { criterionIssues } from '../../scoring/index.js';

/** What keeps the checks of a task from being run: patterns and schemas, by pointers inside the task. */
export const checkTrouble = (task: Task): readonly Issue[] => criterionIssues(task, checkForeignSchema);

/** The same for every task of a suite, by pointers inside the suite. */
export const suiteTrouble = ({ head, tasks }: Suite): readonly Issue[] =>
  head.rubricTasks === 0
    ? []
    : tasks.flatMap((task, ordinal) =>
        checkTrouble(task).map((issue) => ({ ...issue, pointer: `/tasks/${ordinal}${issue.pointer}` })),
      );
