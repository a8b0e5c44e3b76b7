// What lists of tasks are filtered and sorted by.

/** Which side a task is on: an unscored one is neither passed nor failed. */
export const TASK_OUTCOMES = ['passed', 'failed', 'unscored'] as const;
/** How a task differs from the same task of another run: it changed sides, its score moved, or neither. */
export const TASK_CHANGES = ['toFail', 'toPass', 'lower', 'higher', 'same'] as const;
/** What a list of tasks can be sorted by; a minus before it sorts the other way. */
export const TASK_ORDERS = ['suite', 'id', 'score', 'change', 'time', 'cost', 'agreement'] as const;
/** Where the review of a task stands. */
export const REVIEW_STATES = ['open', 'done', 'overridden', 'flagged'] as const;
