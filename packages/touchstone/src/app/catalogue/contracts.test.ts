import {
  asId,
  type Digest,
  type Evaluator,
  HOST_OWNER,
  isHostError,
  type ModelName,
  type Owner,
  type TaskId,
} from '@touchstone/protocol';
import type {
  ContractCriterion,
  ContractTask,
  EvalContract,
  PinnedContract,
} from '@touchstone/protocol/bodies';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../ports/index.js';
import { judgeIdentity } from '../../scoring/index.js';
import { createMemoryStore } from '../../store/index.js';
import { parseSuite } from '../../suites/parse-suite.js';
import type { Judges } from '../judges/judges.js';
import { systemClock } from '../system.js';
import { createContracts } from './contracts.js';

const ACME: Owner = { tenant: 'acme', workspace: 'main' };
const criterion = (
  id: string,
  evaluator: Evaluator,
  more: Partial<ContractCriterion> = {},
): ContractCriterion => ({
  id,
  name: id,
  strict: true,
  evaluator,
  class: 'binary',
  direction: 'max',
  rate: 1,
  ...more,
});
function pinned(
  criteria: readonly ContractCriterion[],
  task: Partial<ContractTask> = {},
  judge?: string,
): PinnedContract {
  const contract: EvalContract = {
    contractVersion: 1,
    suiteId: asId('local.acme.evals.a'),
    suiteVersion: asId('1.0.0'),
    suiteSha256: '0',
    agent: { id: 'a', name: 'a', version: '1.0.0', sha256: '0' },
    ...(judge !== undefined && { judge: { model: judge } }),
    criteria,
    tasks: { t: { criteria: criteria.map(({ id }) => id), ...task } },
  };
  return { contract, digest: asId<Digest>('sha256:contract') };
}

let store: Store;
beforeEach(async () => {
  store = await createMemoryStore(systemClock);
});
afterEach(() => store.close());

type World = { readonly configured?: string; readonly embedder?: string; readonly known?: readonly string[] };
/** A host that knows the models `known`; whoever is not acme may ask none of them by name. */
function deskOf({ configured, embedder, known = ['named', 'house', 'vectors'] }: World = {}) {
  const chooseJudge: Judges['choose'] = ({ model = configured, votes = 1 } = {}) => {
    if (model === undefined) return undefined;
    return known.includes(model)
      ? judgeIdentity(asId<ModelName>('near'), asId<ModelName>(model), votes)
      : { issue: `Nobody has ${model}.` };
  };
  return createContracts({
    config: embedder === undefined ? {} : { embedder: { model: embedder } },
    store,
    models: {
      choose: (_: Owner, { name = '' }: { readonly name?: string }) =>
        known.includes(name)
          ? { kind: 'model', pin: { provider: 'near', model: name }, mock: false }
          : { kind: 'none', reason: `Nobody has ${name}.` },
    } as never,
    chooseJudge,
    modelIssue: ({ tenant }) => (tenant === 'acme' ? undefined : 'Not yours to ask.'),
  });
}
const codeOf = (act: Promise<unknown>): Promise<unknown> =>
  act.catch((error: unknown) => (isHostError(error) ? error.details?.code : error));

describe('who decides the criteria of a contract', () => {
  const near = criterion('near', 'similarity', { class: 'graded', degree: 0.5 });
  const tone = criterion('tone', 'judge');

  it.each<[string, PinnedContract, World, readonly (string | undefined)[]]>([
    [
      'nobody, where checks are enough',
      pinned([criterion('a', 'reference-match')]),
      {},
      [undefined, undefined],
    ],
    ['the named judge', pinned([tone], {}, 'named'), { configured: 'house' }, ['named', undefined]],
    [
      'the configured judge for a name nobody has',
      pinned([tone], {}, 'gone'),
      { configured: 'house' },
      ['house', undefined],
    ],
    [
      'the configured judge where none is named',
      pinned([tone]),
      { configured: 'house' },
      ['house', undefined],
    ],
    ['the judge for meanings, without an embedder', pinned([near], {}, 'named'), {}, ['named', undefined]],
    [
      'the embedder alone for meanings',
      pinned([near], {}, 'named'),
      { embedder: 'vectors' },
      [undefined, 'vectors'],
    ],
    [
      'nobody for meanings that may be guessed',
      pinned([{ ...near, approximate: true }], {}, 'named'),
      {},
      [undefined, undefined],
    ],
    ['both', pinned([near, tone], {}, 'named'), { embedder: 'vectors' }, ['named', 'vectors']],
    [
      'no embedder that nothing asks for',
      pinned([tone], {}, 'named'),
      { embedder: 'gone' },
      ['named', undefined],
    ],
    [
      'the judge in a task that says so',
      pinned([criterion('a', 'reference-match')], { evaluators: { a: 'judge' } }, 'named'),
      {},
      ['named', undefined],
    ],
    [
      'nobody for a criterion that applies nowhere',
      pinned([tone], { criteria: [] }, 'named'),
      {},
      [undefined, undefined],
    ],
  ])('%s', async (_who, contract, world, [judge, embedder]) => {
    const plan = await deskOf(world).plan(ACME, contract);
    expect([plan.contract, plan.judge?.model, plan.embedder?.model]).toEqual([
      contract.digest,
      judge,
      embedder,
    ]);
  });

  it('is refused where somebody is needed who cannot be asked', async () => {
    expect(await codeOf(deskOf().plan(ACME, pinned([tone])))).toBe('judge_unavailable');
    expect(await codeOf(deskOf({ configured: 'gone' }).plan(ACME, pinned([tone], {}, 'lost')))).toBe(
      'judge_unavailable',
    );
    expect(await codeOf(deskOf({ embedder: 'gone' }).plan(ACME, pinned([near])))).toBe(
      'embedder_unavailable',
    );
  });

  it('is nobody where only advice needs somebody who cannot be asked', async () => {
    const [kind, close] = [
      { ...tone, strict: false },
      { ...near, strict: false },
    ];
    const digest = asId<Digest>('sha256:contract');
    expect(await deskOf().plan(ACME, pinned([kind]))).toEqual({ contract: digest });
    expect(await deskOf({ embedder: 'gone' }).plan(ACME, pinned([close]))).toEqual({ contract: digest });
    expect(await codeOf(deskOf().plan(ACME, pinned([kind, { ...tone, id: 'hard' }])))).toBe(
      'judge_unavailable',
    );
    // Who can be asked is asked, about advice too.
    expect((await deskOf({ configured: 'house' }).plan(ACME, pinned([kind]))).judge?.model).toBe('house');
  });

  it('depends on the tasks that were chosen, whatever their ids are', async () => {
    const taskOf = (taskId: string): object => ({
      taskId,
      input: 'x',
      expected: { kind: 'golden', match: { strategy: 'exact', value: 'x' } },
    });
    const suite = parseSuite({
      suiteId: 'local.acme.evals.a',
      version: '1.0.0',
      modes: ['golden'],
      // An object holds the members "2" and "10" in another order than they were written in.
      tasks: [taskOf('10'), taskOf('2')],
    });
    await store.suites.put(ACME, suite, 1);
    const { contract, digest } = pinned([tone, criterion('a', 'reference-match')]);
    const tasks = { '10': { criteria: ['a'] }, '2': { criteria: ['tone'] } };
    const suiteSha256 = suite.head.digest.slice('sha256:'.length);
    const both = { digest, contract: { ...contract, tasks, suiteSha256 } };
    expect(await deskOf().plan(ACME, both, [0])).toEqual({ contract: digest });
    expect(await codeOf(deskOf().plan(ACME, both, [1]))).toBe('judge_unavailable');
    expect(await codeOf(deskOf().plan(ACME, both))).toBe('judge_unavailable');
  });

  it('is not a model that the owner may not ask, though the configured judge judges for everyone', async () => {
    const rival = { ...ACME, tenant: 'rival' };
    const plan = await deskOf({ configured: 'house' }).plan(rival, pinned([tone], {}, 'named'));
    expect(plan.judge?.model).toBe('house');
    expect(await codeOf(deskOf().plan(rival, pinned([tone], {}, 'named')))).toBe('judge_unavailable');
  });
});

describe('the contract of a run', () => {
  it('is found under its digest by its owner, whatever has been attached since', async () => {
    const [first, suite] = [pinned([criterion('a', 'judge')]), asId<Digest>('sha256:suite')];
    const second = { ...first, digest: asId<Digest>('sha256:second') };
    await store.suites.attach(ACME, suite, first, 1);
    await store.suites.attach(ACME, suite, second, 2);
    const desk = deskOf();
    expect((await desk.of(ACME, suite))?.digest).toBe(second.digest);
    expect(await desk.pinned(ACME, first.digest)).toEqual(first);
    const rival = { ...ACME, tenant: 'rival' };
    expect(await desk.of(rival, suite)).toBeUndefined();
    await expect(desk.pinned(rival, first.digest)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is the host’s for a suite of the host, whatever its tenants have put beside it', async () => {
    const suite = parseSuite({
      suiteId: 'local.acme.evals.a',
      version: '1.0.0',
      modes: ['golden'],
      tasks: [
        { taskId: 't', input: 'x', expected: { kind: 'golden', match: { strategy: 'exact', value: 'x' } } },
      ],
    });
    const { digest } = suite.head;
    const [strict, lax] = [pinned([criterion('a', 'judge')]), pinned([])].map((one, at) => ({
      ...one,
      digest: asId<Digest>(`sha256:${at}`),
    })) as [PinnedContract, PinnedContract];
    const under = async () => (await deskOf().of(ACME, digest))?.digest;
    await store.suites.put(ACME, suite, 1);
    await store.suites.attach(ACME, digest, lax, 1);
    expect(await under()).toBe(lax.digest);
    await store.suites.put(HOST_OWNER, suite, 1);
    expect(await under()).toBeUndefined();
    await store.suites.attach(HOST_OWNER, digest, strict, 1);
    expect(await under()).toBe(strict.digest);
    await store.retain(HOST_OWNER, { packs: [], agents: [], suites: [] });
    expect(await under()).toBe(lax.digest);
  });

  it('holds each schema once, so that it is compiled once', async () => {
    const { contract, digest } = pinned([]);
    const task = (type: string) => ({ criteria: [], schema: { type } });
    const tasks = { a: task('object'), b: task('object'), c: task('array'), d: { criteria: [] } };
    const written = { digest, contract: { ...contract, tasks } };
    await store.suites.attach(ACME, asId<Digest>('sha256:suite'), written, 1);
    const read = await deskOf().pinned(ACME, digest);
    expect(read).toEqual(written);
    const { a, b, c } = read.contract.tasks;
    expect(a?.schema).toBe(b?.schema);
    expect(a?.schema).not.toBe(c?.schema);
  });

  it('sets the thresholds of its tasks: all of what is strict, and nothing where there is only advice', async () => {
    const hard = pinned([criterion('a', 'judge')]);
    const soft = {
      ...pinned([criterion('a', 'judge', { strict: false })]),
      digest: asId<Digest>('sha256:soft'),
    };
    const desk = deskOf();
    for (const one of [hard, soft])
      await store.suites.attach(ACME, asId<Digest>(`sha256:of-${one.digest}`), one, 1);
    const barUnder = async (contract?: Digest) =>
      (await desk.thresholds(ACME, { ...(contract && { contract }) } as never))(asId<TaskId>('t'));
    expect([await barUnder(hard.digest), await barUnder(soft.digest), await barUnder()]).toEqual([
      1,
      0,
      undefined,
    ]);
  });
});
