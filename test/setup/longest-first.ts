import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute or more, those that wait among those that compute. A run that began with one of them last would end with it. */
const LONGEST = [
  'heavy-checks',
  'image',
  'fleet-work',
  'kill',
  'database-away',
  'anytime',
  'fleet',
  'page-walks',
  'promotion-processes',
  'long-logs',
  'kappa',
  'pooled-store',
  'postgres-store',
].map((name) => `${name}.slow.test.ts`);

/** As always, but for the longest: what a machine has learnt about durations is not there on a clean one. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const named = LONGEST.flatMap((name) => sorted.filter(({ moduleId }) => basename(moduleId) === name));
    return [...named, ...sorted.filter((file) => !named.includes(file))];
  }
}
