/** Which tasks of a matrix are kept: those that changed sides, those that differ at all, or all. */
export const MATRIX_KEPT = ['flips', 'differ', 'all'] as const;
/** How a matrix is sorted: largest drop first, most changes of side first, or newest failure first. */
export const MATRIX_ORDERS = ['change', 'flaky', 'newest'] as const;
/** What a list of runs can be of. */
export const RUN_KINDS = ['eval', 'deployment', 'single'] as const;
