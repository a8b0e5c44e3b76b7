import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

const PROJECTS = ['unit', 'host', 'slow'];

/**
 * Says what a run left out, so that a green run is not taken for more than it was. With TOUCHSTONE_REQUIRE_ALL, as in
 * CI, a skipped test fails the run. A run of chosen files or tests is left alone: that the others do not run is known.
 */
export default class Omissions implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    if (!this.vitest || this.vitest.config.testNamePattern) return;
    const all = await this.vitest.globTestSpecifications();
    if (modules.length < all.length) return;
    const ran = this.vitest.projects.map(({ name }) => name);
    const left = PROJECTS.filter((name) => !ran.includes(name));
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    if (left.length > 0) console.log(`NOT RUN: ${left.join(', ')} (npm run test:all runs everything)`);
    for (const test of skipped) console.log(`SKIPPED: ${nameOf(test)}`);
    if (skipped.length > 0 && process.env.TOUCHSTONE_REQUIRE_ALL) process.exitCode = 1;
  }
}

const nameOf = (test: TestCase): string => `${test.module.relativeModuleId} > ${test.fullName}`;
