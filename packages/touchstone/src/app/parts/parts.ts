import { readSafetyPolicy } from '../config/safety-policy.js';
import { openCatalogues } from './catalogues.js';
import { openDeploymentParts } from './deployments.js';
import { openLimits } from './limits.js';
import type { Basics } from './options.js';
import { openReview } from './review.js';
import { openStores } from './stores.js';

export type Parts = Awaited<ReturnType<typeof openParts>>;

/** Everything below the engine, in layers: each is made of those before it. */
export async function openParts(basics: Basics) {
  const safety = await readSafetyPolicy(basics.config);
  const limited = { ...basics, safety, ...openLimits(basics) };
  const stored = { ...limited, ...(await openStores(limited)) };
  const catalogued = { ...stored, ...(await openCatalogues(stored)) };
  const reviewed = { ...catalogued, ...openReview(catalogued) };
  return { ...reviewed, ...openDeploymentParts(reviewed) };
}
