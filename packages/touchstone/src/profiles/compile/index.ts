export { compileProfile } from './compile-profile.js';
export { compileToWriters, type Sinks, type Written } from './compile-to-writers.js';
export type { CompileInput, CompileOptions } from './options.js';
