export type { Access } from './access.js';
export { type Bucket, type BucketOf, createBuckets, createOwnBuckets } from './buckets.js';
export {
  createDeferred,
  createSemaphore,
  type Deferred,
  onAbort,
  TIMED_OUT,
  unlessAborted,
  withinTime,
} from './concurrency.js';
export { createDeadlines, type Deadline, type Deadlines } from './deadlines.js';
export { createFetch, ERROR_CODE_HEADER } from './fetch.js';
export { FreeList } from './free-list.js';
export { createGuard, type Guard, GuardRefusal, openGuard } from './guard.js';
export {
  AnswerTooLarge,
  createJsonClient,
  type HttpResult,
  type JsonClient,
  readBytes,
  retryAfterOf,
  sendRequest,
} from './http.js';
export { createNames, type Names } from './names.js';
export { shareOpenFiles } from './open-files.js';
export { createPaces, type Pace, type PaceOf } from './pace.js';
export { processorMs } from './processor-time.js';
export {
  DEFAULT_RETRIES,
  type RequestBounds,
  type RequestParts,
  type RetryLimits,
  sendWithRetries,
} from './retry.js';
export { createSlots } from './slots.js';
export { createStandstill } from './standstill.js';
export { traceHeaders, withTraceparent } from './trace-context.js';
