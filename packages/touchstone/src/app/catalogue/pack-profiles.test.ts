import { asId, type JsonObject } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { openPackFiles } from '../../packs/open-pack.js';
import { parseConfig } from '../config/config.js';
import { systemClock } from '../system.js';
import { packOptions } from './pack-policy.js';
import { compilePackProfiles } from './pack-profiles.js';
import { createProfiles } from './profiles.js';

const AGENT = 'vendor.acme.triage.default';
const PROFILE = `evaluation/${AGENT}.json`;
const config = parseConfig({}, '/');

const manifest = {
  name: 'vendor.acme.triage',
  version: '1.2.0',
  engines: { openwop: '>=1.0 <2.0.0' },
  runtime: { language: 'remote', entry: 'pack.json' },
  agents: [
    {
      agentId: AGENT,
      persona: 'Triage',
      memoryShape: {},
      modelClass: 'general',
      systemPromptRef: 'prompt.md',
      toolAllowlist: [],
    },
  ],
};
const profile = {
  golden_dataset_uri: 'data/rows.jsonl',
  grading_rubric: [{ name: 'exact_match', description: 'As expected.' }],
};
const ROWS = ['{"id":"one","input":"a","expected":"b"}', '{"id":"two","input":"c","expected":"d"}'].join(
  '\n',
);

const pack = (extra: { readonly [path: string]: string } = {}) =>
  openPackFiles(
    new Map(
      Object.entries({
        'pack.json': JSON.stringify(manifest),
        'prompt.md': 'Sort it.',
        ...extra,
      }).map(([path, text]) => [path, Buffer.from(text)]),
    ),
    packOptions(config),
  );

const nowhere = () => Promise.reject(new Error('Nothing is installed here.'));
const desk = createProfiles({
  config,
  store: undefined as never,
  clock: systemClock,
  env: {},
  suites: { replace: nowhere },
  maxTasks: undefined,
});

describe('a pack', () => {
  it('without a profile beside its manifests brings no contract', async () => {
    expect(await compilePackProfiles(desk, await pack())).toEqual([]);
  });

  it('brings the contract of an agent, over rows of its own, for that agent', async () => {
    const opened = await pack({
      [`evaluation/${AGENT}.json`]: JSON.stringify(profile),
      'data/rows.jsonl': ROWS,
    });
    const [found, ...others] = await compilePackProfiles(desk, opened);
    expect(others).toEqual([]);
    expect(found?.agentId).toBe(AGENT);
    expect(found?.compiled.suite.head).toMatchObject({
      suiteId: 'vendor.acme.evals.triage',
      version: '1.2.0',
      targetAgentId: asId(AGENT),
      taskCount: 2,
    });
    const { contract } = found?.compiled.pinned ?? {};
    expect(contract?.criteria.map(({ id, evaluator }) => [id, evaluator])).toEqual([
      ['exact-match', 'reference-match'],
    ]);
    expect((contract?.dataset as JsonObject | undefined)?.rows).toBe(2);
  });

  it.each([
    ['of nobody', `evaluation/${AGENT}x.yaml`],
    ['beside another one of the same agent', `evaluation/${AGENT}.yaml`],
  ])('with a profile %s is refused', async (_, path) => {
    const opened = await pack({
      [`evaluation/${AGENT}.json`]: JSON.stringify(profile),
      'data/rows.jsonl': ROWS,
      [path]: 'grading_rubric: []',
    });
    await expect(compilePackProfiles(desk, opened)).rejects.toMatchObject({ details: { file: path } });
  });

  it('may keep its rows beside the profile, as JSON too', async () => {
    const rows = `[${ROWS.split('\n').join(',')}]`;
    const opened = await pack({
      [PROFILE]: JSON.stringify({ ...profile, golden_dataset_uri: 'evaluation/rows.json' }),
      'evaluation/rows.json': rows,
    });
    expect(await compilePackProfiles(desk, opened)).toHaveLength(1);
  });

  it('whose profile makes a suite of a name that is taken in it is refused, by that name', async () => {
    const taken = {
      suiteId: 'vendor.acme.evals.triage',
      version: '1.2.0',
      modes: ['golden'],
      tasks: [
        { taskId: 'a', input: 'a', expected: { kind: 'golden', match: { strategy: 'exact', value: 'b' } } },
      ],
    };
    const agents = [{ ...manifest.agents[0], evalSuiteRef: 'suite.json' }];
    const opened = await pack({
      'pack.json': JSON.stringify({ ...manifest, agents }),
      'suite.json': JSON.stringify(taken),
      [PROFILE]: JSON.stringify(profile),
      'data/rows.jsonl': ROWS,
    });
    await expect(compilePackProfiles(desk, opened)).rejects.toMatchObject({
      message: expect.stringContaining('vendor.acme.evals.triage@1.2.0'),
      details: { file: PROFILE, agentId: AGENT },
    });
  });
});

describe('a mistake is shown in the file that holds it', () => {
  const wrong = { ...profile, grading_rubric: [{ name: 'exact_match', threshold: 90 }] };
  const definition = {
    metadata: {
      id: '2c8f6d0e-4a51-4f57-8d3b-6f0a9b1c7e24',
      version: '1.0.0',
      name: 'Triage',
      author: 'Acme',
      created_at: '2026-11-02T08:00:00Z',
    },
    capabilities: [{ name: 'sort', type: 'atomic', description: 'Sorts.', inputs: {}, outputs: {} }],
    config: { model_config: { model: 'small', temperature: 0 } },
    dependencies: {},
    evaluation: wrong,
  };
  const YAML = `evaluation/${AGENT}.yaml`;
  const lineOf = (value: object, words: string): number =>
    JSON.stringify(value, null, 1)
      .split('\n')
      .findIndex((line) => line.includes(words)) + 1;
  const text = (value: object): string => JSON.stringify(value, null, 1);
  const rows = { 'data/rows.jsonl': ROWS };

  it.each<[string, { readonly [path: string]: string }, object]>([
    [
      'a row',
      { [PROFILE]: text(profile), 'data/rows.jsonl': `${ROWS}\n{"id":"three"}` },
      { file: 'data/rows.jsonl', line: 3, pointer: '/2' },
    ],
    [
      'a row that nothing could score',
      {
        [PROFILE]: text({ golden_dataset_uri: 'data/rows.jsonl' }),
        'data/rows.jsonl': `${ROWS}\n{"input":"x"}`,
      },
      { file: 'data/rows.jsonl', line: 3 },
    ],
    [
      'a row of a dataset in the profile itself',
      { [PROFILE]: text({ ...profile, golden_dataset_uri: 'data:application/json,[1]' }) },
      { file: 'dataset', line: 1 },
    ],
    [
      'a criterion',
      { ...rows, [PROFILE]: text(wrong) },
      { file: PROFILE, line: lineOf(wrong, '90'), pointer: '/grading_rubric/0/threshold' },
    ],
    [
      'a criterion in YAML',
      {
        ...rows,
        [YAML]:
          'golden_dataset_uri: data/rows.jsonl\ngrading_rubric:\n  - name: exact_match\n    threshold: 90\n',
      },
      { file: YAML, line: 4, column: 5, pointer: '/grading_rubric/0/threshold' },
    ],
    [
      'a criterion in a whole definition',
      { ...rows, [PROFILE]: text(definition) },
      { file: PROFILE, line: lineOf(definition, '90'), pointer: '/evaluation/grading_rubric/0/threshold' },
    ],
    [
      'a member that is none',
      { ...rows, [PROFILE]: text({ ...profile, dataset: 1 }) },
      { file: PROFILE, line: lineOf({ ...profile, dataset: 1 }, '"dataset"'), pointer: '/dataset' },
    ],
    [
      'a dataset that is not there',
      { [PROFILE]: text(profile) },
      { file: PROFILE, line: lineOf(profile, 'data/rows.jsonl'), pointer: '/golden_dataset_uri' },
    ],
    [
      'a dataset outside of the pack',
      { [PROFILE]: text({ ...profile, golden_dataset_uri: '../../etc/passwd' }) },
      { file: PROFILE, line: 2, pointer: '/golden_dataset_uri' },
    ],
    [
      'a definition without a profile',
      { [PROFILE]: text({ ...definition, evaluation: null }) },
      { file: PROFILE, pointer: '' },
    ],
    ['a text that is none', { [PROFILE]: '{' }, { file: PROFILE, line: 1 }],
  ])('%s', async (_, files, issue) => {
    const error = await compilePackProfiles(desk, await pack(files)).catch((thrown: unknown) => thrown);
    const { file, line } = issue as { readonly file: string; readonly line?: number };
    expect(error).toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining(`Agent ${AGENT}: ${line === undefined ? file : `${file}:${line}`}`),
      details: { agentId: AGENT, file, issues: [issue] },
    });
  });

  it('and so is what is worth a word', async () => {
    const idle = {
      ...profile,
      grading_rubric: [...profile.grading_rubric, { name: 'f1_score', threshold: 0 }],
    };
    const [contract] = await compilePackProfiles(desk, await pack({ ...rows, [PROFILE]: text(idle) }));
    const place = `${PROFILE}:${lineOf(idle, '"threshold": 0')}:`;
    expect(contract?.warnings).toEqual([expect.stringContaining(place)]);
  });
});
