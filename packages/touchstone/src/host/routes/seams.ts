import { bodyOf, type Endpoint, endpoint } from '../endpoint.js';
import type { HostParts } from '../host-parts.js';
import { approvalGateSeam } from './seams/approval-gate.js';
import { authorizationSeam } from './seams/authorization.js';
import { deploymentSeam } from './seams/deployment-transition.js';
import { dispatchSeam } from './seams/dispatch.js';
import { evalRunSeam } from './seams/eval-run.js';
import { liveInvokeSeam } from './seams/live-invoke.js';
import { runEventsSeam } from './seams/run-events.js';

// Conformance tests look inside a host through these. They exist only when the operator asks for them, and every one of
// them takes the way an ordinary request would take.

export const seamEndpoints = (host: HostParts): readonly Endpoint[] => [
  runEventsSeam(host),
  resetSeam,
  deploymentSeam(host),
  liveInvokeSeam(host),
  dispatchSeam(host),
  authorizationSeam(host),
  approvalGateSeam(host),
  ...(host.evalSuite ? [evalRunSeam(host)] : []),
];

const resetSeam = endpoint({
  operationId: 'seamReset',
  method: 'POST',
  path: '/v1/host/sample/test/reset',
  auth: 'key',
  summary: 'Test seam: called between tests; runs share nothing, so there is nothing to reset',
  body: bodyOf<object>({ type: 'object' }, false),
  responses: { 200: { description: 'Done.', schema: { type: 'object' } } },
  handle: () => ({ status: 200, body: {} }),
});
