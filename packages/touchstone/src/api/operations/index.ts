import type { Endpoint } from '../endpoint.js';
import { seamEndpoints } from '../seams/index.js';
import type { Services } from '../services.js';
import { auditEndpoints, checkpointEndpoints, keyEndpoints } from './access.js';
import { boardEndpoints } from './board.js';
import { agentEndpoints, boundAgentEndpoints, toolEndpoints } from './catalogue/agents.js';
import { judgeEndpoints } from './catalogue/judges.js';
import { packEndpoints } from './catalogue/packs.js';
import { profileEndpoints } from './catalogue/profiles.js';
import { suiteTaskEndpoints } from './catalogue/suite-tasks.js';
import { suiteEndpoints } from './catalogue/suites.js';
import { deploymentEndpoints } from './deployments.js';
import { discoveryEndpoints, metricsEndpoints, workflowEndpoints } from './discovery.js';
import { matrixEndpoints } from './matrix.js';
import { reviewEndpoints } from './review.js';
import { annotationEndpoints } from './runs/annotations.js';
import { artifactEndpoints } from './runs/artifacts.js';
import { baselineEndpoints, comparisonEndpoints, diffEndpoints } from './runs/comparisons.js';
import { forkEndpoints, rejudgeEndpoints } from './runs/derived-runs.js';
import { eventEndpoints, progressEndpoints } from './runs/events.js';
import { interruptEndpoints } from './runs/interrupts.js';
import { removalEndpoints } from './runs/removal.js';
import {
  debugBundleEndpoints,
  evalSummaryEndpoints,
  reportEndpoints,
  resultEndpoints,
} from './runs/report.js';
import { runControlEndpoints } from './runs/run-control.js';
import { runEndpoints, runListEndpoints } from './runs/runs.js';
import { taskEventEndpoints } from './runs/task-events.js';
import { taskSearchEndpoints } from './runs/task-search.js';
import { taskListEndpoints } from './runs/tasks.js';
import { sessionEndpoints } from './sessions.js';
import { usageEndpoints } from './usage.js';
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
    ...artifactEndpoints(host),
    ...rejudgeEndpoints(host),
    ...eventEndpoints(host),
    ...evalSummaryEndpoints(host),
    ...webhookEndpoints(host),
    ...agentEndpoints(host),
    ...deploymentEndpoints(host),
    ...boardEndpoints(host),
    ...interruptEndpoints(host),
    ...auditEndpoints(host),
    ...checkpointEndpoints(host),
    ...toolEndpoints(host),
    ...suiteEndpoints(host),
    ...suiteTaskEndpoints(host),
    ...judgeEndpoints(host),
    ...packEndpoints(host),
    ...boundAgentEndpoints(host),
    ...profileEndpoints(host),
    ...runListEndpoints(host),
    ...removalEndpoints(host),
    ...progressEndpoints(host),
    ...reportEndpoints(host),
    ...resultEndpoints(host),
    ...taskListEndpoints(host),
    ...taskSearchEndpoints(host),
    ...taskEventEndpoints(host),
    ...reviewEndpoints(host),
    ...matrixEndpoints(host),
    ...comparisonEndpoints(host),
    ...baselineEndpoints(host),
    ...sessionEndpoints(host),
    ...keyEndpoints(host),
    ...usageEndpoints(host),
    ...metricsEndpoints(host),
    ...(options.testSeams ? seamEndpoints(host) : []),
  ];
  return all;
}
