import {
  type AgentId,
  type AgentPlan,
  asId,
  type ChannelName,
  isHostError,
  type Principal,
  type RunId,
  type TransitionRequest,
} from '@touchstone/protocol';
import { choice, name, object, text, type Wire } from '@touchstone/protocol/schema';
import { hasScope, SAMPLE_AGENT_ID } from '../../app/index.js';
import type { Run } from '../../ports/index.js';
import { bodyOf, type Call, type Endpoint, endpoint, ok } from '../endpoint.js';
import { noSuch, type Services } from '../services.js';
import { failedEval } from './eval-run.js';
import { choosePiece, move, type Piece, piecesOf, proofFor, recordOf } from './moving.js';
import { eventsOf, payloadOf, runToEnd } from './real-run.js';

const SCENARIOS = ['promote', 'unauthorized', 'eval-gate-unmet', 'channel-pin'] as const;
const label = text(undefined, { minLength: 1, maxLength: 64 });
const scenarioBody = object(
  { scenario: choice(SCENARIOS) },
  { agentId: name(), version: label, channel: label, evalRunId: name() },
);
type TransitionScenario = Wire<typeof scenarioBody>;
type ScenarioCall = Call<unknown, TransitionScenario>;

export function deploymentSeam(host: Services): Endpoint {
  const inTurn = createTurns();
  return endpoint({
    operationId: 'seamDeploymentTransition',
    route: 'POST /v1/host/sample/agents/deployment-transition',
    auth: 'key',
    summary: 'Test seam: have a version promoted, or refused for a reason, or drawn from its channel',
    body: bodyOf(scenarioBody),
    responses: ok('The run that tells of it.', { type: 'object' }),
    refusals: ['validation_error', 'forbidden', 'conflict', 'unavailable'],
    handle: async (call) => {
      const body = await inTurn(() => LEGS[call.body.scenario](host, call));
      return { status: 200, body };
    },
  });
}

/** One after another: two callers who walk the same version at once would trip each other up. */
function createTurns(): <T>(take: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (take) => {
    const turn = last.then(take);
    last = turn.catch(() => undefined);
    return turn;
  };
}

const LEGS: {
  readonly [S in TransitionScenario['scenario']]: (host: Services, call: ScenarioCall) => Promise<object>;
} = {
  promote: async (host, call) => {
    const piece = await pieceOf(host, call);
    return told(host, piece, await bringIntoService(host, call, piece));
  },
  unauthorized: async (host, call) => {
    const piece = await pieceOf(host, call);
    const request = { version: piece.version, transition: 'promote' } as const;
    return told(host, piece, await move(host, withoutRoles(call), piece, request));
  },
  'eval-gate-unmet': async (host, call) => {
    const piece = await pieceOf(host, call);
    const evalRunId = call.body.evalRunId ?? (await noProof(host, call, piece));
    const request = { ...stepOf(piece, channelOf(call)), evalRunId: asId<RunId>(evalRunId) };
    return told(host, piece, await move(host, call.principal, piece, request));
  },
  'channel-pin': pinChannel,
};

const agentIdOf = ({ body }: ScenarioCall): AgentId => asId<AgentId>(body.agentId ?? SAMPLE_AGENT_ID);
const channelOf = ({ body }: ScenarioCall): string => body.channel ?? 'stable';

const pieceOf = async (host: Services, call: ScenarioCall): Promise<Piece> =>
  choosePiece(
    await piecesOf(host, call.principal.owner, agentIdOf(call), channelOf(call)),
    call.body.version,
  );

const withoutRoles = ({ principal: { owner } }: ScenarioCall): Principal => ({
  id: 'sample-without-roles',
  owner,
  roles: [],
  scopes: new Set(),
});

/** Something to ask of a version as it stands. What is the newest on its channel already cannot be promoted there. */
function stepOf({ version, state, isNewest }: Piece, channel: string): TransitionRequest {
  const isThere = state === 'active' && isNewest;
  if (isThere) return { version, transition: 'adjust-canary', canaryPercent: 100 };
  const leadsToService = state === 'staged' || state === 'paused' || state === 'active';
  return {
    version,
    transition: 'promote',
    ...(leadsToService && { channel: asId<ChannelName>(channel) }),
  };
}

/**
 * Promotes a version step by step until it is the newest on its channel, and gives the last step's run; or the run of the
 * step that was refused, or that waits for people. One that is there already steps back first.
 */
async function bringIntoService(host: Services, call: ScenarioCall, start: Piece): Promise<Run> {
  for (let piece = start; ; ) {
    const step = stepOf(piece, channelOf(call));
    const request =
      step.transition === 'promote' ? step : ({ version: step.version, transition: 'pause' } as const);
    const given = call.body.evalRunId;
    const proof =
      given === undefined
        ? await proofFor(host, call, piece, request.transition)
        : { evalRunId: asId<RunId>(given) };
    const run = await move(host, call.principal, piece, { ...request, ...proof });
    if (run.status !== 'completed' || request.channel !== undefined) return run;
    piece = await pieceOf(host, { ...call, body: { ...call.body, version: piece.version } });
  }
}

/** An evaluation that was not passed; where none can be run, the name of one that never was. */
async function noProof(host: Services, call: ScenarioCall, { agentId, version }: Piece): Promise<string> {
  const mayRun = host.evalSuite && hasScope(call.principal, 'runs:create');
  const run = mayRun && (await failedEval(host, call, `${agentId}@${version}`).catch(noSuch));
  return run ? run.runId : 'run-that-never-was';
}

async function told(host: Services, piece: Piece, { owner, runId, status, error }: Run): Promise<object> {
  const record = await recordOf(host, owner, piece);
  return {
    runId,
    status,
    ...(record && { record }),
    ...((status === 'completed' || error) && { allowed: status === 'completed' }),
    ...(error && { error: error.code, ...(error.details && { details: error.details }) }),
  };
}

/** A run of whatever serves on the channel. When nothing does, something is put there first. */
async function pinChannel(host: Services, call: ScenarioCall): Promise<object> {
  const { owner } = call.principal;
  const agentId = `${agentIdOf(call)}@${channelOf(call)}`;
  if (!(await serves(host, call, agentId))) {
    // Nothing is put on `latest`: it follows whatever is in service.
    const channel = channelOf(call) === 'latest' ? 'stable' : channelOf(call);
    const asked = { ...call, body: { ...call.body, channel } };
    const piece = await pieceOf(host, asked);
    const run = await bringIntoService(host, asked, piece);
    if (run.status !== 'completed') return told(host, piece, run);
  }
  const run = await runToEnd(host, call, { agentId, inputs: { text: 'sample' } });
  const started = payloadOf(await eventsOf(host, owner, run.runId), 'agent.invocation.started');
  const { agent } = run.plan as AgentPlan;
  const record = await recordOf(host, owner, agent);
  return {
    runId: run.runId,
    status: run.status,
    ...(record && { record }),
    ...(started && {
      resolvedAgentVersion: started.resolvedAgentVersion,
      resolvedChannel: started.resolvedChannel,
    }),
  };
}

async function serves(
  { touchstone }: Services,
  { principal }: ScenarioCall,
  reference: string,
): Promise<boolean> {
  try {
    return (await touchstone.agents.find(principal.owner, reference)) !== undefined;
  } catch (error) {
    if (isHostError(error) && error.code === 'no_active_deployment') return false;
    throw error;
  }
}
