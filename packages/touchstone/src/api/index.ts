export { type AccessAudit, createAccessAudit, noteRefusal } from './access-audit.js';
export {
  type Answer,
  bodyBytes,
  type Call,
  type Credential,
  type Endpoint,
  type KeySpace,
  type Reply,
} from './endpoint.js';
export { errorResponse, toHostError } from './error-response.js';
export { createLocalTransport } from './local-transport.js';
export { endpointsOf } from './operations/index.js';
export { isVersioned, pathOf, routerPath, templatePattern } from './paths.js';
export { createServices, type ServiceOptions, type Services } from './services.js';
export { type Chunk, type Output, PIECE_BYTES } from './streams/output.js';
export { MAX_STALL_MS, openSse } from './streams/sse.js';
