import type { Run } from '../../ports/index.js';
import { FLOOR_WORKFLOWS } from '../kinds/floor-workflows.js';
import type { Parts } from '../parts.js';
import type { Script } from './approval-flow.js';
import { openDeployment } from './deployment.js';
import { asksPeople, openGateNodes } from './gate-nodes.js';

/** The script of a run that asks people; undefined for runs that only work. */
export function openScript(parts: Parts, run: Run): Script | undefined {
  const { plan } = run;
  if (plan.kind === 'deployment') return openDeployment(parts, run, plan);
  if (plan.kind !== 'workflow') return undefined;
  const workflow = FLOOR_WORKFLOWS.find(({ workflowId }) => workflowId === plan.workflowId);
  return workflow?.nodes.some(asksPeople) ? openGateNodes(run, plan) : undefined;
}
