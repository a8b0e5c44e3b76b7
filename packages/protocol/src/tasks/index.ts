// Tasks of a run as lists: filtered, sorted, counted. Pure and without content; the host and the page of a file use the same.
export * from './facets.js';
export * from './matrix-rows.js';
export * from './task-filter.js';
export * from './task-lines.js';
export * from './task-list.js';
export * from './task-row.js';
