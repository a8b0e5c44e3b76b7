import { createProfiles } from '../catalogue/profiles.js';
import { createSuiteCatalogue } from '../catalogue/suite-catalogue.js';
import { openCheckers } from '../checkers/checkers.js';
import { trustOf } from '../config/config-parts.js';
import type { NamedPolicy } from '../config/safety-policy.js';
import { watchTenants } from '../principal.js';
import { composeAgents } from './agents.js';
import type { Limits } from './limits.js';
import type { Basics } from './options.js';
import { composeScoring, evalSettings } from './scoring.js';
import type { Stores } from './stores.js';

export type Catalogues = Awaited<ReturnType<typeof openCatalogues>>;

/** What can be run here: suites, agents, and what scores their answers. */
export async function openCatalogues(parts: Basics & Limits & Stores & { readonly safety: NamedPolicy }) {
  const { config, clock, origin, store } = parts;
  const checkers = openCheckers(parts);
  const tenants = await watchTenants(store, parts);
  const isOnlyTenant = (tenant: string): boolean => tenants.isOnly(tenant);
  const trusted = once(() => trustOf(config, origin));
  const suites = createSuiteCatalogue(store, clock, trusted);
  const settings = evalSettings(config, origin);
  const asked = { ...parts, suites, isOnlyTenant, checkerFor: checkers.forRequest };
  const profiles = createProfiles({ ...asked, maxTasks: settings?.maxTasks });
  const agents = composeAgents({ ...asked, profiles });
  const scoring = composeScoring({ ...asked, agents, checkerFor: checkers.forRun });
  return { checkers, tenants, suites, settings, profiles, agents, ...scoring };
}

/** Key files are read when they are first needed, and then no more. */
function once<T>(read: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: read() };
    return known.value;
  };
}
