import {
  asId,
  type Digest,
  type Owner,
  type Scorecard,
  type TaskResult,
  timestampOf,
} from '@touchstone/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Blessing, Store } from '../../../packages/touchstone/src/ports/index.js';
import { ACME, createRun, evalPlan, OTHER_OWNERS, runIdOf, START, taskName } from './givens.js';

const { suite, agent } = evalPlan();

export const blessing = (runId: string, overrides: Partial<Blessing> = {}): Blessing => ({
  runId: runIdOf(runId),
  suite,
  agent,
  score: 0.9,
  principal: 'ann',
  at: START,
  ...overrides,
});

const results = (tasks: number): readonly TaskResult[] =>
  Array.from({ length: tasks }, (_, i) => ({ taskId: taskName(i), score: 1 / 3, passed: false }));

export const scorecard = (runId: string, tasks = 2): Scorecard => ({
  runId: runIdOf(runId),
  suite,
  agent,
  modes: ['golden'],
  totalTasks: tasks,
  repeats: 1,
  results: results(tasks),
  summary: {
    suiteId: suite.suiteId,
    suiteVersion: suite.version,
    aggregateScore: 1 / 3,
    passed: false,
    taskCount: tasks,
    passedCount: 0,
    tasks: results(tasks),
  },
  startedAt: timestampOf(START),
  endedAt: timestampOf(START + 9),
  log: { events: 7, digest: asId('sha256:log') },
});

export const SUBJECT = { suite: suite.digest, agentId: agent.agentId };

const JUDGES: readonly (Digest | undefined)[] = [undefined, asId('sha256:j1'), asId('sha256:j2')];
const SUITES: readonly Digest[] = [asId('sha256:s1'), asId('sha256:s2')];
const AGENTS = [asId<typeof agent.agentId>('local.a'), asId<typeof agent.agentId>('local.b')];
const blessed = fc.record({
  owner: fc.constantFrom(ACME, ...OTHER_OWNERS),
  suite: fc.constantFrom(...SUITES),
  agentId: fc.constantFrom(...AGENTS),
  version: fc.constantFrom('1.0.0', '2.0.0'),
  judge: fc.constantFrom(...JUDGES),
  at: fc.integer({ min: START, max: START + 3 }),
});
type Blessed = typeof blessed extends fc.Arbitrary<infer T> ? T : never;

const toBlessing = ({ suite: digest, agentId, version, judge, at }: Blessed, i: number): Blessing =>
  blessing(`r${i}`, {
    suite: { ...suite, digest },
    agent: { ...agent, agentId, version: asId(version) },
    ...(judge !== undefined && { judge }),
    at,
  });

type OwnedBlessing = { readonly owner: Owner; readonly blessing: Blessing };

/** All blessings are given in one turn; they count in the order of the calls. */
async function blessNew(store: Store, given: readonly OwnedBlessing[]): Promise<void> {
  await Promise.all(given.map(({ owner, blessing }) => createRun(store, blessing.runId, { owner })));
  const blessed = given.map(({ owner, blessing }) => store.baselines.bless(owner, blessing));
  expect(await Promise.all(blessed)).toEqual(given.map(() => true));
}

export function baselinesCases(open: () => Promise<Store>): void {
  it('for every suite, agent and judge, or none, the latest blessing counts, and all are listed newest first', async () => {
    const property = fc.asyncProperty(fc.array(blessed, { maxLength: 30 }), async (list) => {
      const store = await open();
      const given = list.map((each, i) => ({ owner: each.owner, blessing: toBlessing(each, i) }));
      await blessNew(store, given);
      for (const owner of [ACME, ...OTHER_OWNERS]) {
        const own = given.filter((each) => each.owner === owner).map((each) => each.blessing);
        const newestFirst = [...own].reverse().sort((a, b) => b.at - a.at);
        expect(await store.baselines.list(owner)).toStrictEqual(newestFirst);
        await expectFound(store, owner, newestFirst);
      }
      await store.close();
    });
    await fc.assert(property, { numRuns: 15 });
  });

  it('a blessing is read back as it was given, whatever its author is called, also one among thousands', async () => {
    const store = await open();
    const odd = blessing('r1', {
      principal: 'NUL \u0000, lone \ud800',
      judge: asId('sha256:j'),
      score: 1 / 3,
    });
    await blessNew(store, [{ owner: ACME, blessing: odd }]);
    const others = Array.from({ length: 2_000 }, (_, i) =>
      blessing(`other-${i}`, { suite: { ...suite, digest: asId(`sha256:${i}`) }, at: START + 1 }),
    );
    await blessNew(
      store,
      others.map((each) => ({ owner: ACME, blessing: each })),
    );
    expect(await store.baselines.find(ACME, { ...SUBJECT, judge: asId('sha256:j') })).toStrictEqual(odd);
    expect(await store.baselines.list(ACME)).toEqual([...others.reverse(), odd]);
  });

  it('neither an absent run nor a foreign one is blessed', async () => {
    const store = await open();
    for (const owner of OTHER_OWNERS)
      await createRun(store, `r-${owner.tenant}-${owner.workspace}`, { owner });
    const names = ['r1', ...OTHER_OWNERS.map(({ tenant, workspace }) => `r-${tenant}-${workspace}`)];
    for (const name of names) expect(await store.baselines.bless(ACME, blessing(name))).toBe(false);
    for (const owner of [ACME, ...OTHER_OWNERS]) expect(await store.baselines.list(owner)).toEqual([]);
  });

  it('a kept scorecard reads back whole, and the same run id again replaces it for this owner only', async () => {
    const store = await open();
    expect(await store.baselines.kept(ACME, runIdOf('far'))).toBeUndefined();
    for (const owner of [ACME, ...OTHER_OWNERS]) await store.baselines.keep(owner, scorecard('far', 5_000));
    await store.baselines.keep(ACME, scorecard('far', 1));
    await store.baselines.keep(ACME, scorecard('near'));
    expect(await store.baselines.kept(ACME, runIdOf('far'))).toStrictEqual(scorecard('far', 1));
    expect(await store.baselines.kept(ACME, runIdOf('near'))).toStrictEqual(scorecard('near'));
    for (const owner of OTHER_OWNERS)
      expect(await store.baselines.kept(owner, runIdOf('far'))).toStrictEqual(scorecard('far', 5_000));
  });
}

async function expectFound(store: Store, owner: Owner, newestFirst: readonly Blessing[]): Promise<void> {
  for (const digest of SUITES)
    for (const agentId of AGENTS)
      for (const judge of JUDGES) {
        const expected = newestFirst.find(
          (each) => each.suite.digest === digest && each.agent.agentId === agentId && each.judge === judge,
        );
        const question = { suite: digest, agentId, ...(judge !== undefined && { judge }) };
        expect(await store.baselines.find(owner, question)).toStrictEqual(expected);
      }
}
