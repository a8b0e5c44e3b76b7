import {
  type AgentId,
  asId,
  type BoardAgent,
  type DeploymentPlan,
  type DeploymentRecord,
  type Digest,
  defined,
  type GatePolicy,
  jsonEqual,
  type MoveReview,
  type Owner,
  type Page,
  type Principal,
  type ReasonLabel,
  type TransitionRequest,
  type Version,
  validationError,
} from '@touchstone/protocol';
import { deploymentRecords } from '../../deployments/index.js';
import { ENGINE_VERSION } from '../../engine/index.js';
import {
  type CreationId,
  DEPLOYMENT_WORKFLOW,
  type Engine,
  type Ids,
  type Run,
  type RunOrigin,
} from '../../ports/index.js';
import { createdBefore, idsOf } from '../runs/creation.js';
import { type BoardQuery, readBoard } from './board.js';
import { planTransition } from './plan-transition.js';
import { type MoveQuestion, reviewMove } from './review-move.js';
import { type DecisionParts, servingNow } from './serving.js';

/** Runs that move deployments are all of this workflow. */

type TransitionParts = DecisionParts & {
  /** Where the runs of transitions are made, and so who takes them up after a crash. */
  readonly origin: RunOrigin;
  readonly ids: Ids;
  /** Takes secrets out of what people write. */
  readonly mask: (text: string) => Promise<string>;
  readonly engine: Pick<Engine, 'drive' | 'interrupts'>;
};

/** A deployment is bound to the digest of the agent and not only to its version. */
type VersionDigests = {
  readonly version: Version;
  /** Of the agent that the host has under this version now; absent when it has none. */
  readonly digest?: Digest;
  /** Of the agent that was deployed under this version. */
  readonly deployedDigest?: Digest;
  /** The digest may not cover all files of the agent's program. */
  readonly filesNotFollowed?: true;
};

export type Deployments = {
  /** Every version of an agent with its state; undefined when there is no such agent for this owner. */
  list(owner: Owner, agentId: AgentId): Promise<readonly DeploymentRecord[] | undefined>;
  /** The digests of every version, now and as deployed; undefined when there is no such agent for this owner. */
  versions(owner: Owner, agentId: AgentId): Promise<readonly VersionDigests[] | undefined>;
  /** All agents with what serves and what waits for people. */
  board(owner: Owner, query: BoardQuery): Promise<Page<BoardAgent>>;
  /** What would be decided about a move, without a trace. */
  review(principal: Principal, agentId: AgentId, question: MoveQuestion): Promise<MoveReview>;
  /** What became of the request is told by the run: completed, waiting for people, or failed with the reason. */
  transition(
    principal: Principal,
    agentId: AgentId,
    request: TransitionRequest,
    options?: TransitionOptions,
  ): Promise<Run>;
};

type TransitionOptions = {
  /** Gates besides those of the configuration, asked before them. */
  readonly gates?: readonly GatePolicy[];
  readonly creationId?: CreationId | undefined;
};

export function createDeployments(parts: TransitionParts): Deployments {
  const { store, engine } = parts;
  return {
    board: (owner, page) => readBoard({ ...parts, approvalOf: engine.interrupts.approval }, owner, page),
    review: (...question) => reviewMove(parts, ...question),
    async list(owner, agentId) {
      const versions = await parts.agents.versions(owner, agentId);
      const serving = await servingNow(parts, owner, agentId);
      if (versions.length === 0 && serving.revision === 0) return undefined;
      return deploymentRecords(serving, versions);
    },
    async versions(owner, agentId) {
      const known = await parts.agents.versions(owner, agentId);
      const serving = await servingNow(parts, owner, agentId);
      if (known.length === 0 && serving.revision === 0) return undefined;
      const all = [...new Set([...known, ...serving.versions.map(({ version }) => version)])];
      return Promise.all(
        all.map(async (version) => {
          const facts = (await parts.agents.find(owner, `${agentId}@${version}`))?.facts;
          const deployedDigest = serving.versions.find((one) => one.version === version)?.digest;
          const { digest, filesNotFollowed } = facts ?? {};
          return { version, ...defined({ digest, deployedDigest, filesNotFollowed }) };
        }),
      );
    },
    async transition(principal, agentId, asked, { gates = [], creationId } = {}) {
      checkVersion(asked.version);
      const { owner } = principal;
      const settled = async ({ runId }: Run): Promise<Run> => {
        await engine.drive(owner, runId);
        return (await store.runs.get(owner, runId)) as Run;
      };
      const before = await createdBefore(store.runs, owner, creationId);
      if (before) return settled(before);
      const { reason } = asked;
      const request = reason ? { ...asked, reason: asId<ReasonLabel>(await parts.mask(reason)) } : asked;
      const bound = { ...parts, gates: [...gates, ...parts.gates] };
      const plan = await planTransition(bound, principal, agentId, request);
      const waiting = plan.intent?.approvals.length ? await findWaiting(parts, principal, plan) : undefined;
      if (waiting && !isOver(waiting, parts.clock.now())) return waiting;
      // The same question from before, whose time is over, is closed before it is asked again.
      if (waiting) await engine.drive(owner, waiting.runId);
      const created = await store.runs.create({
        runId: idsOf(parts.ids, creationId).runId(),
        owner,
        principal: principal.id,
        origin: parts.origin,
        workflowId: DEPLOYMENT_WORKFLOW,
        plan,
        request: {},
        createdAt: parts.clock.now(),
        engineVersion: ENGINE_VERSION,
      });
      return settled(created as Run);
    },
  };
}

const isOver = ({ waitUntil }: Run, now: number): boolean => waitUntil !== undefined && waitUntil <= now;

/** Refuses a channel in the place of a version: both can stand behind an `@`. */
function checkVersion(version: string): void {
  if (/^\d[A-Za-z0-9._+-]{0,63}$/.test(version)) return;
  const message =
    'Expected a version such as 1.0.0: a digit, then letters, digits and . _ + -, at most 64 in all.';
  throw validationError([{ pointer: '/version', message }]);
}

/** The same principal asking for the same thing again asks no second question. */
async function findWaiting(
  { store }: TransitionParts,
  { owner, id }: Principal,
  { agentId, request }: DeploymentPlan,
): Promise<Run | undefined> {
  const filter = { agentId, status: 'waiting-approval', limit: 100 } as const;
  const { items } = await store.runs.list(owner, filter);
  return items.find(
    ({ plan, principal }) =>
      plan.kind === 'deployment' && principal === id && jsonEqual(plan.request as never, request as never),
  );
}
