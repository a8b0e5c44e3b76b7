// Commands that work without a server import `app`, which loads none of this.
export { createLog } from './log.js';
export { type RunningHost, startHost } from './serve.js';
export { type RunningWorker, startWorker } from './worker.js';
