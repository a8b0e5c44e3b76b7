import type { Issue } from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import { checkForeignSchema } from '../../agents/index.js';
import { criterionIssues } from '../../scoring/index.js';

/** What keeps the checks of a task from being run: patterns and schemas, by pointers inside the task. */
export const checkTrouble = (task: Task): readonly Issue[] => criterionIssues(task, checkForeignSchema);
