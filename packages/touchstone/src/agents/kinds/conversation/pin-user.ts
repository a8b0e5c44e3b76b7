import { createHash } from 'node:crypto';
import {
  asId,
  canonicalJson,
  type Digest,
  HOST_OWNER,
  type Json,
  type ModelParameters,
  type ModelPin,
  type SimulatedUser,
} from '@touchstone/protocol';
import type { Models } from '../../models/models.js';
import { parametersOf } from '../../spec/parameters.js';
import type { AgentSpec } from '../../spec/spec.js';
import { refusedProvider } from '../model/pin-model.js';
import { USER_PROMPT_DIGEST } from './user-prompt.js';

/** Nobody for agents whose conversations have no simulated user. */
export type UserDecision = { readonly simulatedUser?: SimulatedUser } | { readonly issue: string };

/** Who plays the user for this agent. Like a judge, it is asked through the operator's providers, whoever runs the agent. */
export function pinUser(models: Models, { run }: AgentSpec): UserDecision {
  if (run.kind !== 'conversation' || !run.user) return {};
  const choice = models.choose(HOST_OWNER, { name: run.user.model });
  if (choice.kind === 'none') return { issue: choice.reason };
  const refused = refusedProvider(models, HOST_OWNER, choice.pin.provider);
  if ('issue' in refused) return refused;
  const simulatedUser = userIdentity(choice.pin, { temperature: 0, ...parametersOf(run.user.parameters) });
  return { simulatedUser: choice.mock ? { ...simulatedUser, mock: true } : simulatedUser };
}

/** Two users are the same when model, parameters and orders are. */
export function userIdentity(
  { provider, model }: Pick<ModelPin, 'provider' | 'model'>,
  parameters: ModelParameters,
): SimulatedUser {
  const named = { provider, model, ...parameters, promptDigest: USER_PROMPT_DIGEST };
  const hash = createHash('sha256').update(canonicalJson(named as unknown as Json));
  return { ...named, digest: asId<Digest>(`sha256:${hash.digest('hex')}`) };
}

/** What of an identity is said to its model with every question. */
export function userParameters(identity: SimulatedUser): ModelParameters {
  const { provider: _, model: __, promptDigest: ___, digest: ____, mock: _____, ...parameters } = identity;
  return parameters;
}
