import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute or more on two cores, the longest first. A run that began with one of them last would end with it alone. */
const LONGEST = [
  'fleet-work',
  'heavy-checks',
  'image',
  'database-away',
  'fleet',
  'pooled-store',
  'long-logs',
  'postgres-store',
  'page-walks',
  'promotion-processes',
].map((name) => `${name}.slow.test.ts`);

/** As always, but for the longest: what a machine has learnt about durations is not there on a clean one. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const named = LONGEST.flatMap((name) => sorted.filter(({ moduleId }) => basename(moduleId) === name));
    return [...named, ...sorted.filter((file) => !named.includes(file))];
  }
}
