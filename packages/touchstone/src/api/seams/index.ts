import { bodyOf, type Endpoint, endpoint, ok } from '../endpoint.js';
import type { Services } from '../services.js';
import { approvalGateSeam, authorizationSeam } from './approval-gate.js';
import { deploymentSeam } from './deployment-transition.js';
import { dispatchSeam } from './dispatch.js';
import { emitUsageSeam } from './emit-usage.js';
import { evalRunSeam } from './eval-run.js';
import { liveInvokeSeam, runEventsSeam } from './live-invoke.js';

// Conformance tests look inside a host through these. They exist only when the operator asks for them, and every one of
// them takes the way an ordinary request would take.

export const seamEndpoints = (host: Services): readonly Endpoint[] => [
  runEventsSeam(host),
  resetSeam,
  emitUsageSeam(host),
  deploymentSeam(host),
  liveInvokeSeam(host),
  dispatchSeam(host),
  authorizationSeam(host),
  approvalGateSeam(host),
  ...(host.evalSuite ? [evalRunSeam(host)] : []),
];

const resetSeam = endpoint({
  operationId: 'seamReset',
  route: 'POST /v1/host/sample/test/reset',
  auth: 'key',
  summary: 'Test seam: called between tests; runs share nothing, so there is nothing to reset',
  body: bodyOf<object>({ type: 'object' }, false),
  responses: ok('Done.', { type: 'object' }),
  handle: () => ({ status: 200, body: {} }),
});
