// The door for whoever serves. Commands that work without a server use `in-process.ts`, which loads none of this.
export { createApp } from './app.js';
export { createLog } from './log.js';
export { type RunningHost, startHost } from './serve.js';
