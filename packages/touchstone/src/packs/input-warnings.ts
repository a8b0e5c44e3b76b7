import type { SchemaCheck, Suite } from '../ports/index.js';
import type { PackAgent } from './manifest/pack-agents.js';
import type { OpenedPack } from './open-pack.js';

type Contents = Pick<OpenedPack, 'agents' | 'suites'>;

/** What its author should know: tasks that the agent they are meant for does not take, so that no run of them begins. */
export const inputWarnings = ({ agents, suites }: Contents, fits: SchemaCheck): readonly string[] =>
  agents.flatMap((agent) => {
    const suite = suites.find(({ head }) => isOwn(head, agent));
    return suite ? misfits(agent, suite, fits) : [];
  });

/** A suite that several agents name may be meant for one of them alone. */
const isOwn = ({ suiteId, version, targetAgentId }: Suite['head'], { manifest, suite }: PackAgent): boolean =>
  suiteId === suite?.suiteId &&
  version === suite.version &&
  (targetAgentId ?? manifest.agentId) === manifest.agentId;

/** The first one says enough, and whoever corrects it looks at the others as well. */
function misfits({ manifest, taskSchema }: PackAgent, { head, tasks }: Suite, fits: SchemaCheck): string[] {
  if (!taskSchema) return [];
  for (const [index, { taskId, input }] of tasks.entries()) {
    const [issue] = fits(taskSchema, input);
    if (issue)
      return [
        `Task ${taskId} of ${head.suiteId}@${head.version} does not fit the task schema of agent ${manifest.agentId}, so a run of it is refused: /tasks/${index}/input${issue.pointer}: ${issue.message}.`,
      ];
  }
  return [];
}
