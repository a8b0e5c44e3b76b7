import {
  defined,
  HOST_OWNER,
  HostError,
  type ModelPin,
  type Owner,
  type Redact,
  type SimulatedUser,
  type VariableName,
} from '@touchstone/protocol';
import { DEFAULT_RETRIES, type Guard, type PaceOf, type RetryLimits } from '../net/index.js';
import type { Agent, AgentFacts, Clock, Random, Responses } from '../ports/index.js';
import type { TakeAnswer } from './kinds/bounds.js';
import { createCommandAgent } from './kinds/command/command.js';
import { type ConversationParts, createConversation } from './kinds/conversation/conversation.js';
import { userParameters } from './kinds/conversation/pin-user.js';
import { createFunctionAgent } from './kinds/function/function.js';
import { createHttpAgent } from './kinds/http/http.js';
import { createLinesAgent } from './kinds/lines/lines.js';
import { createModelAgent } from './kinds/model/model-agent.js';
import { createModuleAgent } from './kinds/module/module.js';
import type { ModuleAgent } from './kinds/module/module-context.js';
import type { ModuleProcesses } from './kinds/module/module-processes.js';
import { createOpenwopAgent } from './kinds/openwop/openwop.js';
import { createRecordedAgent } from './kinds/recorded/recorded.js';
import { createScriptedAgent } from './kinds/scripted/scripted.js';
import { createAskModel } from './models/ask.js';
import type { Models } from './models/models.js';
import { withResponses } from './models/response-cache.js';
import type { AgentFiles } from './spec/digest.js';
import { promptOf } from './spec/prompt.js';
import type { ConversationRun, FunctionRun, ManifestRun, OpenaiRun, OpenwopRun } from './spec/run-spec.js';
import type { AgentSpec } from './spec/spec.js';
import { DEFAULT_TURNS } from './spec/turn-count.js';

type AgentLimits = {
  readonly maxOutputBytes?: number;
  readonly retries?: RetryLimits;
  /** Of a module whose entry does not say how much it may use; without a limit it lives in a thread. */
  readonly moduleMemoryMb?: number;
  readonly moduleProcesses?: Pick<ModuleProcesses, 'start'>;
};

/** Whose run it is, which model was pinned for it, and whether remembered answers may stand in for that model. */
export type ModelUse = {
  readonly owner: Owner;
  readonly models: Models;
  readonly pin?: ModelPin;
  /** Who plays the user of conversations. */
  readonly simulatedUser?: SimulatedUser;
  /** Replaces secrets of this host in what that user is told. */
  readonly redact?: Redact;
  readonly cache?: { readonly responses: Responses; readonly holdsSecret: (text: string) => boolean };
};

export type AgentParts = {
  readonly facts: AgentFacts;
  /** Where relative paths of the spec begin. */
  readonly baseDir: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly paceOf: PaceOf;
  readonly limits?: AgentLimits;
  /** Its files as they were when it was opened. */
  readonly files?: Pick<AgentFiles, 'isUntouched'>;
  /** Required for a spec that came from a tenant. */
  readonly fetchGuard?: Guard;
  /** Functions of the program that this host is part of, by the names that specs call them by. */
  readonly functions?: ReadonlyMap<string, ModuleAgent>;
  /** Required for a conversation: the agent that it is with. */
  readonly inner?: { readonly spec: AgentSpec } & Pick<
    AgentParts,
    'facts' | 'baseDir' | 'fetchGuard' | 'keyEnv'
  >;
  /** Required for agents that are reached through a provider. */
  readonly use?: ModelUse;
  /** Waits until this host has time for an answer of so many characters. */
  readonly takeAnswer?: TakeAnswer;
  /** Of a service: the variable that the key in its headers came from. */
  readonly keyEnv?: VariableName;
};

const DEFAULT_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Makes an agent ready to be invoked. Its opener closes it. */
export async function openAgent(spec: AgentSpec, parts: AgentParts): Promise<Agent> {
  const { run } = spec;
  const maxOutputBytes = parts.limits?.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
  const retries = parts.limits?.retries ?? DEFAULT_RETRIES;
  const guard = parts.fetchGuard;
  switch (run.kind) {
    case 'scripted':
      return createScriptedAgent(run, parts);
    case 'recorded':
      return createRecordedAgent(run, parts);
    case 'module':
      return createModuleAgent(run, {
        ...parts,
        ...defined({ memoryMb: parts.limits?.moduleMemoryMb, processes: parts.limits?.moduleProcesses }),
        maxOutputBytes,
      });
    case 'function':
      return createFunctionAgent(functionOf(run, parts), run, { ...parts, maxOutputBytes });
    case 'command':
      return run.protocol === 'lines'
        ? createLinesAgent(run, { ...parts, maxOutputBytes })
        : createCommandAgent(run, { ...parts, maxOutputBytes });
    case 'python':
      return createLinesAgent(run, { ...parts, maxOutputBytes });
    case 'http':
      return createHttpAgent(run, {
        ...parts,
        ...paceOfTenant(parts),
        maxOutputBytes,
        retries,
        ...defined({ guard }),
      });
    case 'openwop':
      return createOpenwopAgent(run, { ...parts, maxOutputBytes, retries, ...endpointOf(run, parts) });
    case 'conversation':
      return openConversation(run, parts);
    case 'openai':
    case 'manifest':
      return openModelAgent(run, parts);
  }
}

function functionOf({ name }: FunctionRun, { facts, functions }: AgentParts): ModuleAgent {
  const found = functions?.get(name);
  if (found) return found;
  const { agentId, version } = facts;
  throw new HostError('conflict', `Agent ${agentId}@${version} is a function of another program.`);
}

async function openConversation(run: ConversationRun, parts: AgentParts): Promise<Agent> {
  const { facts, clock, inner } = parts;
  if (!inner) throw new HostError('conflict', `Agent ${run.agent} is not known here any more.`);
  const user = await openUser(parts);
  const { inner: _, fetchGuard: __, ...shared } = parts;
  const { spec, ...own } = inner;
  const agent = await openAgent(spec, { ...shared, ...own }).catch((error) => {
    user?.close();
    throw error;
  });
  const maxTurns = facts.conversation?.maxTurns ?? DEFAULT_TURNS;
  return createConversation(defined({ facts, clock, maxTurns, agent, user }));
}

/** The model that plays the user is the operator's; what it is remembered to have said is the owner's. */
async function openUser(parts: AgentParts): Promise<ConversationParts['user']> {
  const { owner, models, simulatedUser, cache, redact } = useOf(parts);
  if (!simulatedUser) return undefined;
  const { provider, model: name } = simulatedUser;
  const model = await models.open(HOST_OWNER, { provider, model: name });
  const asked = cache ? withResponses(model, cache.responses, owner, parts.clock, cache.holdsSecret) : model;
  return { ...createAskModel(asked, parts.clock, userParameters(simulatedUser)), ...defined({ redact }) };
}

async function openModelAgent(run: ManifestRun | OpenaiRun, parts: AgentParts): Promise<Agent> {
  const { facts, clock, fetchGuard: guard, takeAnswer } = parts;
  const { owner, models, pin, cache } = useOf(parts);
  if (!pin) throw noModel(facts);
  const ownEndpoint = run.kind === 'openai' && pin.provider === hostOf(run.baseUrl);
  const custom = ownEndpoint
    ? defined({ baseUrl: run.baseUrl as string, apiKeyEnv: run.apiKeyEnv, guard })
    : undefined;
  const model = await models.open(owner, pin, custom);
  const cached = cache ? withResponses(model, cache.responses, owner, clock, cache.holdsSecret) : model;
  const prompt = run.kind === 'openai' ? promptOf(run, parts.baseDir) : undefined;
  return createModelAgent(run, { facts, clock, model: cached, pin, ...defined({ prompt, takeAnswer }) });
}

/** The endpoint of an agent on another host. An address that a tenant gave is guarded; a provider's comes from the operator. */
function endpointOf(run: OpenwopRun, parts: AgentParts) {
  const { owner, models } = useOf(parts);
  const { fetchGuard: guard } = parts;
  const endpoint =
    run.provider === undefined
      ? models.custom(defined({ baseUrl: run.baseUrl ?? '', apiKeyEnv: run.apiKeyEnv }))
      : models.endpoint(owner, run.provider);
  if (!endpoint) throw new HostError('conflict', `There is no provider "${run.provider}" here any more.`);
  if (run.provider !== undefined) return endpoint;
  return { ...endpoint, ...paceOfTenant(parts), ...defined({ guard }) };
}

/**
 * An address that an agent names is paced for each tenant apart: what a server refuses one tenant must not hold back
 * another. A provider of the configuration has one credential, and with it one pace for all.
 */
const paceOfTenant = ({ paceOf, use }: AgentParts): { readonly paceOf: PaceOf } => ({
  paceOf: (origin) => paceOf(`${use?.owner.tenant ?? ''} ${origin}`),
});

const hostOf = (baseUrl: string | undefined): string | undefined =>
  baseUrl === undefined ? undefined : new URL(baseUrl).host;

function useOf({ use, facts }: AgentParts): ModelUse {
  if (!use) throw noModel(facts);
  return use;
}

const noModel = ({ agentId, version }: AgentFacts): HostError =>
  new HostError('conflict', `No model was chosen for agent ${agentId}@${version}. Start a new run.`);
