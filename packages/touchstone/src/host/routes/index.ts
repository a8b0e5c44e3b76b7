import type { Endpoint } from '../endpoint.js';
import type { HostParts } from '../host-parts.js';
import { agentEndpoints } from './agents.js';
import { annotationEndpoints } from './annotations.js';
import { auditEndpoints } from './audit.js';
import { boundAgentEndpoints } from './bound-agents.js';
import { debugBundleEndpoints } from './debug-bundle.js';
import { deploymentEndpoints } from './deployments.js';
import { diffEndpoints } from './diff.js';
import { discoveryEndpoints } from './discovery.js';
import { evalSummaryEndpoints } from './eval-summary.js';
import { eventEndpoints } from './events.js';
import { forkEndpoints } from './fork.js';
import { interruptEndpoints } from './interrupts.js';
import { metricsEndpoints } from './metrics.js';
import { packEndpoints } from './packs.js';
import { profileEndpoints } from './profiles.js';
import { progressEndpoints } from './progress.js';
import { rejudgeEndpoints } from './rejudge.js';
import { reportEndpoints } from './report.js';
import { runControlEndpoints } from './run-control.js';
import { runListEndpoints } from './run-lists.js';
import { runEndpoints } from './runs.js';
import { seamEndpoints } from './seams.js';
import { suiteEndpoints } from './suites.js';
import { toolEndpoints } from './tools.js';
import { webhookEndpoints } from './webhooks.js';
import { workflowEndpoints } from './workflows.js';

/** Every operation of this host. The router and the OpenAPI document are both made from this table. */
export function endpointsOf(host: HostParts, options: { readonly testSeams: boolean }): readonly Endpoint[] {
  const all: Endpoint[] = [
    ...discoveryEndpoints(host, () => all),
    ...workflowEndpoints(),
    ...runEndpoints(host),
    ...runControlEndpoints(host),
    ...forkEndpoints(host),
    ...diffEndpoints(host),
    ...annotationEndpoints(host),
    ...debugBundleEndpoints(host),
    ...rejudgeEndpoints(host),
    ...eventEndpoints(host),
    ...evalSummaryEndpoints(host),
    ...webhookEndpoints(host),
    ...agentEndpoints(host),
    ...deploymentEndpoints(host),
    ...interruptEndpoints(host),
    ...auditEndpoints(host),
    ...toolEndpoints(host),
    ...suiteEndpoints(host),
    ...packEndpoints(host),
    ...boundAgentEndpoints(host),
    ...profileEndpoints(host),
    ...runListEndpoints(host),
    ...progressEndpoints(host),
    ...reportEndpoints(host),
    ...metricsEndpoints(host),
    ...(options.testSeams ? seamEndpoints(host) : []),
  ];
  return all;
}
