import type { Endpoint } from '../endpoint.js';
import { seamEndpoints } from '../seams/index.js';
import type { Services } from '../services.js';
import { auditEndpoints } from './audit.js';
import { agentEndpoints } from './catalogue/agents.js';
import { boundAgentEndpoints } from './catalogue/bound-agents.js';
import { packEndpoints } from './catalogue/packs.js';
import { profileEndpoints } from './catalogue/profiles.js';
import { suiteEndpoints } from './catalogue/suites.js';
import { toolEndpoints } from './catalogue/tools.js';
import { workflowEndpoints } from './catalogue/workflows.js';
import { deploymentEndpoints } from './deployments.js';
import { discoveryEndpoints } from './discovery.js';
import { keyEndpoints } from './keys.js';
import { metricsEndpoints } from './metrics.js';
import { annotationEndpoints } from './runs/annotations.js';
import { baselineEndpoints } from './runs/baselines.js';
import { comparisonEndpoints } from './runs/comparisons.js';
import { debugBundleEndpoints } from './runs/debug-bundle.js';
import { diffEndpoints } from './runs/diff.js';
import { evalSummaryEndpoints } from './runs/eval-summary.js';
import { eventEndpoints } from './runs/events.js';
import { forkEndpoints } from './runs/fork.js';
import { interruptEndpoints } from './runs/interrupts.js';
import { progressEndpoints } from './runs/progress.js';
import { rejudgeEndpoints } from './runs/rejudge.js';
import { reportEndpoints } from './runs/report.js';
import { resultEndpoints } from './runs/results.js';
import { runControlEndpoints } from './runs/run-control.js';
import { runListEndpoints } from './runs/run-lists.js';
import { runEndpoints } from './runs/runs.js';
import { webhookEndpoints } from './webhooks.js';

/** Every operation of this host. The router and the OpenAPI document are both made from this table. */
export function endpointsOf(host: Services, options: { readonly testSeams: boolean }): readonly Endpoint[] {
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
    ...resultEndpoints(host),
    ...comparisonEndpoints(host),
    ...baselineEndpoints(host),
    ...keyEndpoints(host),
    ...metricsEndpoints(host),
    ...(options.testSeams ? seamEndpoints(host) : []),
  ];
  return all;
}
