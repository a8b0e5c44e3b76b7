import {
  type AgentPin,
  type Digest,
  defined,
  type EvalMode,
  type EvalPlan,
  HostError,
  type Issue,
  type JsonObject,
  type Owner,
  type RunCreateWire,
  type RunId,
  type RunPlan,
  validationError,
} from '@touchstone/protocol';
import { type Body, type Task, toBody } from '@touchstone/protocol/bodies';
import { createSchemaCheck, needsVariables } from '../../agents/index.js';
import { type FloorWorkflow, floorWorkflow } from '../../engine/index.js';
import type { AgentFacts, Checker, Clock, PriceOf, Store } from '../../ports/index.js';
import { checkRunnable, readRunLimits } from '../../suites/index.js';
import type { Contracts } from '../catalogue/contracts.js';
import type { AgentVisible, FindAgent } from '../catalogue/entries.js';
import { inTurns, refuseSlow } from '../catalogue/schema-budget.js';
import { type SuiteCatalogue, taskPages } from '../catalogue/suite-catalogue.js';
import type { JudgeDecision, Judges } from '../judges/judges.js';
import { pinBaseline } from './baseline.js';
import { budgetIssues } from './budget.js';
import { type DeciderParts, planDeciders } from './plan-deciders.js';
import { planJudge } from './plan-judge.js';
import { type ModelPlanParts, planModel, planUser } from './plan-model.js';
import { checkBounds } from './run-bounds.js';
import { SLOW_CHECKS, taskIssues } from './task-criteria.js';
import { hasSimulatedUser, needsUser, refuseUnfit, requestIssues, taskObstacle } from './unfit-tasks.js';

/** Body of `POST /v1/runs` after the wire schema has accepted its shape. */
export type CreateRunBody = RunCreateWire;

/** What everyone is told who wants an evaluation of a host that makes none. */
export const evaluationOff = (): HostError =>
  new HostError(
    'capability_not_provided',
    'This host does not run evaluations: agents.evalSuite is not advertised.',
    { capability: 'agents.evalSuite' },
  );

/** What this host runs evaluations with; undefined when evaluations are switched off. */
export type EvalSettings = {
  readonly modes: readonly EvalMode[];
  readonly maxTasks?: number;
  readonly ceilingUsd?: number;
};

export type PlanParts = ModelPlanParts &
  DeciderParts & {
    readonly findSuite: SuiteCatalogue['find'];
    readonly suiteSignature: SuiteCatalogue['signature'];
    readonly findAgent: FindAgent;
    readonly chooseJudge: Judges['choose'];
    readonly judges: Pick<Judges, 'choosePortable' | 'configured'>;
    readonly chooseSafetyJudge: Judges['chooseForSafety'];
    /** Why one of these tools cannot be called. */
    readonly unsetVariable: (owner: Owner, toolIds: readonly string[]) => string | undefined;
    readonly safetyPolicy: Digest | undefined;
    readonly contracts: Pick<Contracts, 'of' | 'pinned' | 'plan' | 'embedder'>;
    /** The contract the caller found beside the suite, or that there was none; otherwise the one installed with the suite counts. */
    readonly contract?: Digest | 'none';
    /** Set by a test seam, which names its run and may run what nobody else can. */
    readonly seamRunId?: RunId;
    readonly store: Store;
    readonly clock: Clock;
    /** Makes the checks of one request. */
    readonly checkerFor: (owner: Owner) => Checker;
    readonly priceOf: PriceOf;
    readonly evalSettings: EvalSettings | undefined;
    /** The longest that any run may take here; undefined when the operator has set no limit. */
    readonly maxRunDurationMs?: number | undefined;
    /** What a drop must exceed to be called a regression, unless the caller says otherwise. */
    readonly tolerance: number;
  };

type PlannedRun = { readonly workflowId: string; readonly plan: RunPlan };

/** Decides what a run will do, of whichever kind it is. Refuses with everything that keeps it from being done. */
export function planRun(
  parts: PlanParts,
  owner: Owner,
  body: CreateRunBody,
): Promise<PlannedRun> | PlannedRun {
  if (body.mode === 'eval') return planEval(parts, owner, body);
  if (body.agentId !== undefined) return planAgent(parts, owner, body);
  return planWorkflow(parts, body);
}

const SLOW_TASK_SCHEMA: Issue = {
  pointer: '/agentId',
  message: "The agent's task schema takes too long to check against the inputs. Simplify it.",
};

async function planEval(parts: PlanParts, owner: Owner, body: CreateRunBody): Promise<PlannedRun> {
  const suite = await parts.findSuite(owner, body.evalSuiteRef as string);
  if (!suite) throw unknown('evalSuiteRef', 'No suite of this name and version is installed.');
  const agent = await knownAgent(parts, owner, body.agentId as string);
  const { facts } = agent;
  const { head } = suite;
  const contract = await contractFor(parts, owner, head.digest);
  const judge = await planJudge(parts, owner, head, body, contract !== undefined, suite.owner);
  const check = parts.checkerFor(owner);
  const decided = await checkRunnable({
    head,
    agent: facts,
    configurable: body.configurable ?? {},
    // Under a contract the text of criteria is not parsed: the contract names their evaluators and their judge.
    limits: {
      ...(parts.evalSettings as EvalSettings),
      ...durationLimit(parts),
      ...(contract ? { judge: true } : judgeLimit(judge)),
    },
    checkSchema: refuseSlow(SLOW_TASK_SCHEMA, createSchemaCheck(check)),
    ...(!contract && { checkTask: refuseSlow(SLOW_CHECKS, (task: Task) => taskIssues(task, check)) }),
    tasks: inTurns(taskPages(parts.store, suite.owner, head), parts.clock),
  });
  const tasks = decided.ordinals?.length ?? head.taskCount;
  checkBounds(body.configurable ?? {}, { nodes: tasks * decided.repeats });
  const unfit = taskObstacle(facts, decided.modes, parts.unsetVariable(owner, facts.toolAllowlist));
  const allTasks = () => taskPages(parts.store, suite.owner, head);
  if (unfit) await refuseUnfit(allTasks(), decided.ordinals, unfit);
  const plan: EvalPlan = {
    kind: 'eval',
    suite: { suiteId: head.suiteId, version: head.version, digest: head.digest },
    ...(await planSignature(parts, owner, head.digest)),
    agent: pinOf(agent),
    ...defined({ filesNotFollowed: facts.filesNotFollowed }),
    ...(facts.kind === 'recorded' && { recorded: true }),
    ...(facts.kind === 'function' && { inProcess: true }),
    ...defined({ timed: head.needs?.timed }),
    ...(await planModel(parts, owner, facts, body)),
    ...(await planUser(parts, owner, facts, () => needsUser(allTasks(), decided.ordinals))),
    ...(judge && !('issue' in judge) && { judge }),
    ...(await (contract
      ? parts.contracts.plan(owner, contract, decided.ordinals)
      : planDeciders(parts, owner, head))),
    ...(decided.modes.includes('adversarial') && planSafety(parts)),
    ...decided,
  };
  checkBudget(parts, body, plan);
  return { workflowId: head.suiteId, plan: { ...plan, ...(await planComparison(parts, owner, plan, body)) } };
}

/** Who vouches for the suite now: a gate decides later whether that is enough. */
async function planSignature(
  { suiteSignature }: PlanParts,
  owner: Owner,
  suite: Digest,
): Promise<Pick<EvalPlan, 'suiteSignature'>> {
  const signature = await suiteSignature(owner, suite);
  if (!signature?.trusted) return {};
  const { keyId, pack } = signature;
  return { suiteSignature: { keyId, ...defined({ pack }) } };
}

async function contractFor({ contracts, contract }: PlanParts, owner: Owner, suite: Digest) {
  if (contract === 'none') return undefined;
  return contract === undefined ? contracts.of(owner, suite) : contracts.pinned(owner, contract);
}

async function planComparison(
  { store, tolerance }: PlanParts,
  owner: Owner,
  plan: EvalPlan,
  { configurable = {} }: CreateRunBody,
): Promise<Partial<EvalPlan>> {
  const { baselineRunId } = plan;
  if (baselineRunId === undefined) return {};
  return pinBaseline(store, owner, { ...plan, baselineRunId }, configurable, tolerance);
}

async function planAgent(parts: PlanParts, owner: Owner, body: CreateRunBody): Promise<PlannedRun> {
  const agent = await knownAgent(parts, owner, body.agentId as string);
  const { facts } = agent;
  const inputs: Body = toBody((body.inputs ?? {}) as JsonObject);
  const fits = refuseSlow(SLOW_TASK_SCHEMA, createSchemaCheck(parts.checkerFor(owner)));
  const issues = [
    ...(facts.taskSchema ? await fits(facts.taskSchema, inputs) : []),
    ...requestIssues(facts, inputs),
  ];
  const unset = parts.unsetVariable(owner, facts.toolAllowlist);
  if (unset !== undefined) throw unknown('agentId', unset);
  if (issues.length > 0) {
    throw validationError(
      issues.map(({ pointer, message }) => ({ pointer: `/inputs${pointer}`, message })),
      { field: 'inputs' },
    );
  }
  checkBounds(body.configurable ?? {}, { nodes: 1 });
  const model = {
    ...(await planModel(parts, owner, facts, body)),
    ...(await planUser(parts, owner, facts, () => hasSimulatedUser(inputs))),
  };
  checkBudget(parts, body, model);
  return {
    workflowId: facts.agentId,
    plan: { kind: 'agent', agent: pinOf(agent), ...model, ...runLimits(parts, body) },
  };
}

const judgeLimit = (judge: JudgeDecision | undefined) => ({
  judge: judge !== undefined && !('issue' in judge),
  ...(judge && 'issue' in judge && { judgeIssue: judge.issue }),
});

/** A safety judge that is configured and cannot be asked must not be left out in silence. */
function planSafety({
  chooseSafetyJudge,
  safetyPolicy,
}: PlanParts): Pick<EvalPlan, 'safetyJudge' | 'safetyPolicy'> {
  const judge = chooseSafetyJudge();
  if (judge && 'issue' in judge) {
    const message = `The safety judge cannot be asked. ${judge.issue}`;
    throw validationError([{ pointer: '/configurable/evalModes', message }]);
  }
  return { ...(judge && { safetyJudge: judge }), ...(safetyPolicy && { safetyPolicy }) };
}

function checkBudget(
  { priceOf }: PlanParts,
  { configurable = {} }: CreateRunBody,
  plan: Parameters<typeof budgetIssues>[1],
): void {
  const issues = budgetIssues(configurable, plan, priceOf);
  if (issues.length > 0) throw validationError(issues);
}

/** Asked once per run: on a channel, asking is drawing. */
async function knownAgent(parts: PlanParts, owner: Owner, reference: string): Promise<AgentVisible> {
  const agent = await parts.findAgent(owner, reference);
  if (!agent) throw unknown('agentId', 'No agent of this name and version is installed.');
  if (agent.revoked) throw revokedAgent(agent.facts);
  if (agent.unusable !== undefined) throw unknown('agentId', agent.unusable);
  if (agent.unset) throw unknown('agentId', needsVariables(`Agent ${agent.facts.agentId}`, agent.unset));
  return agent;
}

const revokedAgent = ({ agentId, version }: AgentFacts): HostError =>
  new HostError(
    'pack_revoked',
    `Agent ${agentId}@${version} cannot be run: its pack is revoked. Install another version of the pack.`,
    { field: 'agentId' },
  );

const pinOf = ({ facts, channel }: Pick<AgentVisible, 'facts' | 'channel'>): AgentPin => ({
  agentId: facts.agentId,
  version: facts.version,
  digest: facts.digest,
  ...(channel !== undefined && { channel }),
});

/** Absent and another tenant's look the same. */
const unknown = (field: string, message: string): HostError =>
  validationError([{ pointer: `/${field}`, message }], { field });

const durationLimit = ({ maxRunDurationMs }: PlanParts) => defined({ maxRunDurationMs });

/** The knobs of a run that is not an evaluation: how long, and how much. */
function runLimits(
  parts: PlanParts,
  body: CreateRunBody,
): { readonly runTimeoutMs?: number; readonly ceilingUsd?: number } {
  const { runTimeoutMs, ceilingUsd, issues } = readRunLimits(body.configurable ?? {}, durationLimit(parts));
  if (issues.length > 0) throw validationError(issues);
  return { ...defined({ runTimeoutMs, ceilingUsd }) };
}

function planWorkflow(parts: PlanParts, body: CreateRunBody): PlannedRun {
  const workflow = floorWorkflow(body.workflowId ?? '');
  if (!workflow || (workflow.seamOnly && parts.seamRunId === undefined))
    throw unknown(
      'workflowId',
      'This host has no workflow of this name. It runs evaluations and single agents.',
    );
  const issues = inputIssues(workflow, body.inputs ?? {});
  if (issues.length > 0) throw validationError(issues, { field: 'inputs' });
  const turns = workflow.nodes.filter(({ typeId }) => typeId === 'core.orchestrator.supervisor').length;
  checkBounds(body.configurable ?? {}, { nodes: workflow.nodes.length, turns });
  const { runTimeoutMs } = runLimits(parts, body);
  return {
    workflowId: workflow.workflowId,
    plan: {
      kind: 'workflow',
      workflowId: workflow.workflowId,
      ...(runTimeoutMs !== undefined && { runTimeoutMs }),
    },
  };
}

function inputIssues(workflow: FloorWorkflow, inputs: { readonly [key: string]: unknown }): Issue[] {
  const missing = (workflow.requiredInputs ?? [])
    .filter((name) => typeof inputs[name] !== 'string')
    .map((name) => ({
      pointer: `/inputs/${name}`,
      message: `Expected a string; got ${typeof inputs[name]}.`,
    }));
  const bounds = workflow.nodes.find((node) => node.delayMs)?.delayMs;
  const { delayMs } = inputs;
  if (!bounds || delayMs === undefined) return missing;
  const within =
    typeof delayMs === 'number' &&
    Number.isInteger(delayMs) &&
    delayMs >= bounds.min &&
    delayMs <= bounds.max;
  if (within) return missing;
  return [
    ...missing,
    { pointer: '/inputs/delayMs', message: `Expected a whole number from ${bounds.min} to ${bounds.max}.` },
  ];
}
