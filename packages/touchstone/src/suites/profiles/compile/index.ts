export { compileProfile } from './compile-profile.js';
export { compileToWriters } from './compile-to-writers.js';
export type { CompileOptions } from './options.js';
