export type { Answer, Call, Endpoint, Reply } from './endpoint.js';
export { errorResponse, toHostError } from './error-response.js';
export { endpointsOf } from './operations/index.js';
export { isVersioned, pathOf, routerPath, templatePattern } from './paths.js';
export type { HostParts } from './services.js';
export { createEventPages } from './streams/event-pages.js';
export { openSse } from './streams/sse.js';
export { createWakeups } from './streams/wakeups.js';
