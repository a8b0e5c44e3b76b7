import {
  asId,
  HOST_OWNER,
  type ModelClass,
  type ModelName,
  type ModelPin,
  type Owner,
} from '@touchstone/protocol';
import { type Incomplete, needsVariables } from '../environment/fill-in.js';
import type { ProviderSpec } from './provider-spec.js';

export type ModelQuery = {
  readonly modelClass?: ModelClass;
  /** `provider/model`, or a name that `models` of the configuration explains. */
  readonly name?: string;
};
export type Choice =
  | { readonly kind: 'model'; readonly pin: ModelPin; readonly mock: boolean }
  | { readonly kind: 'none'; readonly reason: string };

export type Names = { readonly [name: string]: string };
export type ChooseParts = {
  readonly providers: ReadonlyMap<string, ProviderSpec>;
  /** Providers that cannot be asked, because variables are not set. */
  readonly unset?: ReadonlyMap<string, Incomplete>;
  readonly modelClasses: Names;
  readonly models: Names;
  /** Whether all keys of this host belong to this tenant, so that a provider without `tenants` may be used by it. */
  readonly isOnlyTenant: (tenant: string) => boolean;
};

/** Well-known names need no configuration; their credential is in the vendor's own environment variable. */
const WELL_KNOWN: ReadonlyMap<string, ProviderSpec> = new Map([
  ['openai', { kind: 'openai' }],
  ['anthropic', { kind: 'anthropic' }],
  ['google', { kind: 'google' }],
]);

/** The provider of this name, if this owner may use it. One that is not granted looks like one that is not there. The
 * host itself may use what its operator configured. */
export function grantedProvider(parts: ChooseParts, owner: Owner, name: string): ProviderSpec | undefined {
  const spec = parts.unset?.has(name) ? undefined : (parts.providers.get(name) ?? WELL_KNOWN.get(name));
  return spec && isGranted(parts, owner, spec) ? spec : undefined;
}

function isGranted(
  { isOnlyTenant }: ChooseParts,
  owner: Owner,
  { tenants }: { readonly tenants?: readonly string[] },
): boolean {
  if (owner === HOST_OWNER) return true;
  return tenants ? tenants.includes(owner.tenant) : isOnlyTenant(owner.tenant);
}

/** Why this owner cannot use a provider that is meant for it; undefined when no variable is the reason. */
export function unsetProvider(parts: ChooseParts, owner: Owner, name: string): string | undefined {
  const entry = parts.unset?.get(name);
  return entry && isGranted(parts, owner, entry)
    ? needsVariables(`Provider "${name}"`, entry.variables)
    : undefined;
}

export function chooseModel(parts: ChooseParts, owner: Owner, query: ModelQuery): Choice {
  if (query.name !== undefined) return chooseByName(parts, owner, query.name);
  const { modelClass } = query;
  if (modelClass === undefined)
    return none('The agent has no modelClass, so there is nothing to choose a model by.');
  const name = own(parts.modelClasses, modelClass);
  if (name === undefined)
    return none(`No model is configured for class ${modelClass}. Set modelClasses.${modelClass}.`);
  return chooseByName(parts, owner, name);
}

function chooseByName(parts: ChooseParts, owner: Owner, name: string): Choice {
  const full = own(parts.models, name) ?? name;
  const slash = full.indexOf('/');
  if (slash < 1 || slash === full.length - 1)
    return none(`"${name}" is neither a model such as local/small-1 nor a name listed in models.`);
  const provider = full.slice(0, slash);
  const unset = unsetProvider(parts, owner, provider);
  if (unset !== undefined) return none(unset);
  const spec = grantedProvider(parts, owner, provider);
  if (!spec)
    return none(
      `Model ${full} is asked for, but there is no provider "${provider}" here. ${knownTo(parts, owner)}`,
    );
  if (spec.kind === 'openwop')
    return none(`Provider "${provider}" is a host of agents (kind openwop); it has no models.`);
  const pin = { provider: asId<ModelName>(provider), model: asId<ModelName>(full.slice(slash + 1)) };
  return { kind: 'model', pin, mock: spec.kind === 'scripted' };
}

/** Names only what this owner may use. */
function knownTo(parts: ChooseParts, owner: Owner): string {
  const names = [...new Set([...parts.providers.keys(), ...WELL_KNOWN.keys()])];
  const granted = names.filter((name) => {
    const spec = grantedProvider(parts, owner, name);
    return spec && spec.kind !== 'openwop';
  });
  return granted.length > 0 ? `There are: ${granted.join(', ')}.` : 'There is none at all.';
}

const none = (reason: string): Choice => ({ kind: 'none', reason });
const own = (names: Names, name: string): string | undefined =>
  Object.hasOwn(names, name) ? names[name] : undefined;
