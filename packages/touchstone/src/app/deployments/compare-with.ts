import {
  type DeployedVersion,
  type EvalPlan,
  type EvalReport,
  isHostError,
  type RunId,
} from '@touchstone/protocol';
import type { Run, Store } from '../../ports/index.js';
import type { ReportOptions } from '../views/report.js';

export type ReadReport = (options?: ReportOptions) => Promise<EvalReport>;

/** How many runs of a version are looked at, newest first. */
const LOOK = 100;

/**
 * The run held against a version that serves: against the proof by which that one came, or, when the suite has changed
 * since or there was none, against its newest run that fits. Undefined when nothing fits.
 */
export async function compareWith(
  store: Store,
  run: Run,
  rival: DeployedVersion,
  read: ReadReport,
): Promise<EvalReport | undefined> {
  for (const against of await candidates(store, run, rival)) {
    const compared = await read({ against }).catch(incomparable);
    if (compared?.regression) return compared;
  }
  return undefined;
}

async function candidates(
  store: Store,
  { owner, plan }: Run,
  rival: DeployedVersion,
): Promise<readonly RunId[]> {
  const { suite, agent } = plan as EvalPlan;
  const filter = {
    agentId: agent.agentId,
    suiteId: suite.suiteId,
    status: 'completed',
    limit: LOOK,
  } as const;
  const { items } = await store.runs.list(owner, filter);
  const own = items.filter(({ plan: other }) => other.kind === 'eval' && isOf(rival, other, suite.digest));
  return [...(rival.evalRunId ? [rival.evalRunId] : []), ...own.map(({ runId }) => runId)];
}

const isOf = ({ version, digest }: DeployedVersion, plan: EvalPlan, suite: string): boolean =>
  plan.agent.version === version &&
  plan.agent.digest === digest &&
  plan.suite.digest === suite &&
  plan.fork === undefined &&
  plan.rejudgeOf === undefined &&
  plan.model?.mock === undefined;

function incomparable(error: unknown): undefined {
  if (!isHostError(error) || (error.code !== 'validation_error' && error.code !== 'not_found')) throw error;
}
