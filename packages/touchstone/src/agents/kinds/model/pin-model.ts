import {
  asId,
  defined,
  isHostError,
  type ModelName,
  type ModelParameters,
  type ModelPin,
  type Owner,
} from '@touchstone/protocol';
import type { Choice } from '../../models/choose.js';
import type { Models } from '../../models/models.js';
import { parametersOf } from '../../spec/parameters.js';
import type { ManifestRun, OpenaiRun } from '../../spec/run-spec.js';
import type { AgentSpec } from '../../spec/spec.js';

/** What a run asks of the model behind an agent; empty when it leaves that to the configuration. */
export type ModelRequest = ModelParameters & { readonly name?: string };
/** No model for agents that bring their own. */
export type ModelDecision = { readonly model?: ModelPin } | { readonly issue: string };

/** Which model a run of this agent asks. Decided before the run exists, so that what cannot work is refused in time. */
export function pinModel(models: Models, owner: Owner, spec: AgentSpec, asked: ModelRequest): ModelDecision {
  const { run, modelClass } = spec;
  if (run.kind === 'openwop') return refusedHost(models, owner, run.provider);
  if (run.kind !== 'manifest' && run.kind !== 'openai') return {};
  const { name = run.kind === 'openai' ? nameOf(run) : run.model, ...parameters } = {
    ...ownParameters(run),
    ...asked,
  };
  if (run.kind === 'openai' && run.baseUrl !== undefined && asked.name === undefined)
    return { model: { ...ownEndpoint(run.baseUrl, run.model), ...parameters } };
  const wanted = name === undefined ? { ...(modelClass && { modelClass }) } : { name };
  return usable(models, owner, models.choose(owner, wanted), parameters);
}

/** What a definition or an entry says of its model holds unless the run says otherwise. */
const ownParameters = (run: ManifestRun | OpenaiRun): ModelParameters =>
  run.kind === 'manifest' ? defined({ temperature: run.temperature }) : parametersOf(run.parameters);

const nameOf = ({ provider, model }: OpenaiRun): string => `${provider ?? ''}/${model}`;

/** An address that the agent names itself has no provider to be called by; its host is what it is known by. */
const ownEndpoint = (baseUrl: string, model: string): ModelPin => ({
  provider: asId<ModelName>(new URL(baseUrl).host),
  model: asId<ModelName>(model),
});

function usable(models: Models, owner: Owner, choice: Choice, parameters: ModelParameters): ModelDecision {
  if (choice.kind === 'none') return { issue: choice.reason };
  const { pin, mock } = choice;
  const refused = refusedProvider(models, owner, pin.provider);
  return 'issue' in refused ? refused : { model: { ...pin, ...parameters, ...(mock && { mock }) } };
}

/** A provider of models has no agents to run. */
function refusedHost(models: Models, owner: Owner, name: string | undefined): ModelDecision {
  if (name !== undefined && models.choose(owner, { name: `${name}/x` }).kind === 'model')
    return { issue: `Provider "${name}" has models and no agents. Name a provider of kind openwop.` };
  return refusedProvider(models, owner, name);
}

/** A provider without its credential could never answer. */
export function refusedProvider(
  models: Models,
  owner: Owner,
  name: string | undefined,
): { readonly issue: string } | Record<never, never> {
  if (name === undefined) return {};
  try {
    const known =
      models.endpoint(owner, name) !== undefined ||
      models.choose(owner, { name: `${name}/x` }).kind === 'model';
    return known ? {} : { issue: `There is no provider "${name}" here.` };
  } catch (error) {
    if (isHostError(error)) return { issue: error.message };
    throw error;
  }
}
