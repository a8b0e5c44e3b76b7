import { asId, type JsonObject } from '@touchstone/contract';
import { describe, expect, it } from 'vitest';
import { openPackFiles } from '../suites/index.js';
import { parseConfig } from './config.js';
import { packOptions } from './pack-policy.js';
import { compilePackProfiles } from './pack-profiles.js';
import { createProfileDesk } from './profiles.js';
import { systemClock } from './system.js';

const AGENT = 'vendor.acme.triage.default';
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
const desk = createProfileDesk({
  config,
  store: undefined as never,
  clock: systemClock,
  env: {},
  shelf: { install: nowhere, replace: nowhere },
  maxTasks: undefined,
});

describe('a pack', () => {
  it('without a profile beside its manifests brings no contract', async () => {
    expect(await compilePackProfiles(desk, pack())).toEqual([]);
  });

  it('brings the contract of an agent, over rows of its own, for that agent', async () => {
    const opened = pack({
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
    const opened = pack({
      [`evaluation/${AGENT}.json`]: JSON.stringify(profile),
      'data/rows.jsonl': ROWS,
      [path]: 'grading_rubric: []',
    });
    await expect(compilePackProfiles(desk, opened)).rejects.toMatchObject({ details: { file: path } });
  });

  it.each([
    ['a row that is none', { 'data/rows.jsonl': 'nonsense' }, 'evaluation/'],
    ['a dataset outside', {}, 'evaluation/'],
  ])('with %s is refused, by the name of the file', async (_, files, words) => {
    const opened = pack({
      [`evaluation/${AGENT}.json`]: JSON.stringify({
        ...profile,
        ...('data/rows.jsonl' in files ? {} : { golden_dataset_uri: '../../etc/passwd' }),
      }),
      ...files,
    });
    await expect(compilePackProfiles(desk, opened)).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining(words),
    });
  });
});
