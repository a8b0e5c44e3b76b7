import type { OpenedPack } from '../suites/index.js';
import { factsOfPack, type PackFacts } from './render/pack.js';

/** What its author is told of a pack, along with what would keep its suites from running. */
export async function lookAtPack(pack: OpenedPack): Promise<PackFacts> {
  const [{ inputWarnings }, { createSchemaCheck }] = await Promise.all([
    import('../suites/index.js'),
    import('../host/in-process.js'),
  ]);
  const facts = factsOfPack(pack);
  return { ...facts, warnings: [...facts.warnings, ...inputWarnings(pack, createSchemaCheck())] };
}
