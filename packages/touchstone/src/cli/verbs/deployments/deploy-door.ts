import type { EvalReport, RunId, RunStatus, TransitionRequest } from '@touchstone/protocol';
import type { Deployment, TransitionDeployment } from '@touchstone/sdk';
import type { Context } from '../../io.js';
import { flag } from '../../next-commands.js';
import { checkHost } from '../../session.js';

/** Where deployments are asked for: in this process unless a host is named. */
export type Where = { readonly host?: string; readonly keyEnv?: string };

/** Why something was refused, as the run that was made of it says. */
export type Refusal = {
  readonly code: string;
  readonly message: string;
  readonly details?: { readonly [key: string]: unknown };
};

/** A run that moves a deployment, as it is now. */
export type DeployRun = {
  readonly runId: RunId;
  readonly status: RunStatus;
  readonly principal?: string;
  readonly agentId: string;
  readonly request: Omit<TransitionRequest, 'version' | 'evalRunId'> & {
    readonly version: string;
    readonly evalRunId?: RunId;
  };
  readonly error?: Refusal;
  /** The question that it waits on. */
  readonly waitingNode?: string;
  /** Its time is over, and nobody has written that down yet. */
  readonly expired?: true;
  /** Gates that take no grant of whoever asked, as far as the run tells. */
  readonly barsRequester?: readonly string[];
};

/** An event of such a run, from a log here or from another host. */
export type ToldEvent = {
  readonly type: string;
  readonly payload: { readonly [key: string]: unknown };
  readonly timestamp: string;
  readonly nodeId?: string;
};

export type Outcome = 'moved' | 'waiting' | 'refused';
export type Asked = {
  readonly outcome: Outcome;
  readonly runId?: RunId;
  readonly error?: Refusal;
  /** The same was asked before, and is still waited for. */
  readonly askedBefore?: true;
};

/** Everything that the verbs about deployments need, the same here and on another host. */
export type DeployDoor = {
  /** Every version of an agent with its state; undefined when there is no such agent. */
  list(agentId: string): Promise<readonly Deployment[] | undefined>;
  /** Agents that could have been meant, as far as that is known. */
  knownAgents(): Promise<readonly string[]>;
  /** Throws what cannot be at all; a refusal is an answer. */
  transition(agentId: string, request: TransitionDeployment): Promise<Asked>;
  /** Undefined when there is no such run; refused when it moves no deployment. */
  run(runId: string): Promise<DeployRun | undefined>;
  events(runId: RunId): Promise<readonly ToldEvent[]>;
  answer(runId: RunId, nodeId: string, value: Vote): Promise<void>;
  /** Takes back what was asked for. */
  withdraw(runId: RunId, reason?: string): Promise<void>;
  /** The newest completed run of a suite with this version: neither a fork nor a rejudged one. */
  newestEval(agentId: string, version: string): Promise<RunId | undefined>;
  /** What a run offered as proof has shown; undefined when it cannot be read. */
  report(runId: RunId): Promise<EvalReport | undefined>;
  /** Whether the agent is another one than that which serves under this version, as far as that is known. */
  hasChanged(agentId: string, version: string): Promise<boolean>;
};

export type Vote = {
  readonly decision: 'granted' | 'rejected';
  readonly override?: true;
  readonly reason?: string;
};

export async function withDoor<T>(
  context: Context,
  { host, keyEnv }: Where,
  use: (door: DeployDoor) => Promise<T>,
  { isLooking = false } = {},
): Promise<T> {
  if (host === undefined) return (await import('./deploy-local.js')).withLocalDoor(context, isLooking, use);
  checkHost(host);
  const { openClient } = await import('../../session.js');
  const { createRemoteDoor } = await import('./deploy-remote.js');
  return use(createRemoteDoor(openClient(context, host, keyEnv)));
}

/** What to add to a command so that it goes to the same place. */
export const whereWords = ({ host, keyEnv }: Where): readonly string[] =>
  host === undefined
    ? []
    : [...flag('--host', host), ...flag('--key-env', keyEnv === 'TOUCHSTONE_KEY' ? undefined : keyEnv)];

/** The same for somebody else, whose key is their own. */
export const whereOthers = ({ host }: Where): readonly string[] =>
  host === undefined ? [] : [...flag('--host', host), "--key-env <approver's key>"];

/** What has become of a run that moves a deployment. */
export function outcomeOf({ runId, status, error }: Pick<DeployRun, 'runId' | 'status' | 'error'>): Asked {
  if (status === 'completed') return { outcome: 'moved', runId };
  if (error) return { outcome: 'refused', runId, error };
  if (status !== 'cancelled') return { outcome: 'waiting', runId };
  const message = 'The run was cancelled, so nothing was moved.';
  return { outcome: 'refused', runId, error: { code: 'cancelled', message } };
}
