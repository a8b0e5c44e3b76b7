import { type EvalPlan, type Owner, type RunPreview, validationError } from '@touchstone/protocol';
import { needsJudge } from '../../suites/index.js';
import { taskPages } from '../catalogue/suite-catalogue.js';
import { type CreateRunBody, type PlanParts, planRun } from './plan-run.js';

/** What a run would do, decided as if it were created: what would be refused is refused, and nothing is kept. */
export async function previewRun(parts: PlanParts, owner: Owner, body: CreateRunBody): Promise<RunPreview> {
  if (body.mode !== 'eval')
    throw validationError([
      { pointer: '/mode', message: 'Expected "eval": only evaluations have a preview.' },
    ]);
  const { plan } = await planRun(parts, owner, body);
  return describe(parts, owner, plan as EvalPlan);
}

async function describe(parts: PlanParts, owner: Owner, plan: EvalPlan): Promise<RunPreview> {
  const { suite, agent, repeats, ordinals, totalTasks } = plan;
  const tasks = ordinals?.length ?? totalTasks;
  const known = await parts.findAgent(owner, `${agent.agentId}@${agent.version}`);
  const isLive = plan.modes.includes('live-shadow');
  return {
    suite: { ref: `${suite.suiteId}@${suite.version}`, digest: suite.digest },
    agent: { agentId: agent.agentId, version: agent.version, digest: agent.digest },
    tasks,
    repeats,
    invocations: tasks * repeats,
    judgeQuestions: await questionsOf(parts, owner, plan, tasks),
    liveTools: isLive ? (known?.facts.toolAllowlist ?? []) : [],
  };
}

/** Every answer is put to the judge once a vote, unless the agent gives none; the safety judge sees every answer. */
async function questionsOf(parts: PlanParts, owner: Owner, plan: EvalPlan, tasks: number): Promise<number> {
  const { judge, safetyJudge, repeats, contract } = plan;
  // A contract names the judge of its criteria; which tasks need it is known when they are scored.
  const judged = !judge ? 0 : contract ? tasks : await judgedTasks(parts, owner, plan);
  return repeats * (judged * (judge?.votes ?? 0) + tasks * (safetyJudge?.votes ?? 0));
}

async function judgedTasks(
  { store, findSuite }: PlanParts,
  owner: Owner,
  { suite, ordinals }: EvalPlan,
): Promise<number> {
  const found = await findSuite(owner, `${suite.suiteId}@${suite.version}`);
  if (!found) return 0;
  const selected = ordinals && new Set(ordinals);
  let [ordinal, count] = [0, 0];
  for await (const page of taskPages(store, found.owner, found.head))
    for (const task of page) {
      if ((!selected || selected.has(ordinal)) && needsJudge(task)) count += 1;
      ordinal += 1;
    }
  return count;
}
