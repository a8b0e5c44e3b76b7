// What people are shown of runs, as data and sentences. The terminal and the page lay it out, each in its own way.
export * from './bars.js';
export * from './collect-run.js';
export * from './confirmation.js';
export * from './contract.js';
export * from './diff.js';
export * from './fail-on.js';
export * from './json-diff.js';
export * from './matrix.js';
export * from './notes.js';
export * from './printable.js';
export * from './regression.js';
export * from './run-view.js';
export * from './task-rows.js';
export * from './tasks.js';
export * from './units.js';
export * from './verdict.js';
