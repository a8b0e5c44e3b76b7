import { describe, expect, it } from 'vitest';
import { importFiles, lines, scoresOf, shownItems } from '../../testing/import-cli.js';

const SAMPLES = lines([
  { input: [{ role: 'user', content: 'Capital of France?' }], ideal: 'Paris' },
  { input: 'Capital of Italy?', ideal: ['Rome', 'Roma'] },
]);

describe('the registry of OpenAI Evals', () => {
  it.each([
    ['Match', [{ 'starts-with': { text: 'Paris' } }, { 'starts-with': { text: ['Rome', 'Roma'] } }]],
    [
      'evals.elsuite.basic.includes:Includes',
      [{ contains: { text: 'Paris', any: true } }, { contains: { text: ['Rome', 'Roma'], any: true } }],
    ],
  ])('class %s is carried over as it is', async (name, entries) => {
    const { tasks, items } = await importFiles({ 'a.jsonl': SAMPLES }, 'a.jsonl', '--class', name);
    expect(tasks.map(({ expect: [entry] }) => entry)).toEqual(entries);
    expect(tasks.map(({ input }) => input)).toEqual([
      [{ role: 'user', content: 'Capital of France?' }],
      'Capital of Italy?',
    ]);
    expect(items).toEqual([]);
  });

  it.each([
    ['FuzzyMatch', { contains: { text: 'Paris', any: true, normalize: true, either: true } }],
    ['fact', { judge: { reference: 'Paris' }, says: 'The answer agrees with the facts of the reference.' }],
  ])('class %s is changed, with a line for each sample', async (name, entry) => {
    const result = await importFiles({ 'a.jsonl': SAMPLES }, 'a.jsonl', '--class', name);
    expect(result.tasks[0]?.expect).toEqual([entry]);
    expect(result.items.map(({ severity, line }) => `${severity} ${line}`)).toEqual([
      'changed 1',
      'changed 2',
    ]);
  });

  it('class JsonMatch compares whole documents', async () => {
    const rows = lines([
      { input: 'a', ideal: '{"a":1}' },
      { input: 'b', ideal: ['1', '[2]'] },
      { input: 'c', ideal: 'no JSON' },
    ]);
    const result = await importFiles({ 'a.jsonl': rows }, 'a.jsonl', '--class', 'JsonMatch');
    expect(result.tasks.map(({ expect: [entry] }) => entry)).toEqual([
      { 'json-subset': { value: { $exact: { a: 1 } } } },
      { 'json-subset': { value: { $oneOf: [{ $exact: 1 }, { $exact: [2] }] } } },
    ]);
    expect(shownItems(result)).toContain(
      'lost a.jsonl:3 class JsonMatch: an ideal answer that it cannot compare with',
    );
  });

  it('reads the entries of a YAML file and the samples that they name', async () => {
    const registry = `
capitals:
  id: capitals.dev.v0
  metrics: [accuracy]
capitals.dev.v0:
  class: evals.elsuite.basic.includes:Includes
  args: { samples_jsonl: capitals/samples.jsonl, ignore_case: true, few_shot_jsonl: x.jsonl }
other.dev.v0:
  class: evals.elsuite.modelgraded.classify:ModelBasedClassify
  args: { samples_jsonl: capitals/samples.jsonl, modelgraded_spec: closedqa }
`;
    const files = {
      'registry/evals/capitals.yaml': registry,
      'registry/data/capitals/samples.jsonl': SAMPLES,
    };
    const result = await importFiles(files, 'registry/evals/capitals.yaml');
    expect(result.err).toContain('2 of 4 tests, 2 of 4 assertions carried over');
    expect(result.tasks[0]?.expect).toEqual([{ contains: { text: 'Paris', any: true, ignoreCase: true } }]);
    expect(shownItems(result)).toContain(
      'lost registry/evals/capitals.yaml:7 argument few_shot_jsonl of an eval',
    );
    expect(shownItems(result)).toContain(
      'lost registry/data/capitals/samples.jsonl:1 class closedqa: nothing here stands for it',
    );
  });

  it('says which eval has no samples', async () => {
    const registry = 'a.v0: {class: "x:Match", args: {samples_jsonl: gone.jsonl}}\n';
    const { code, err } = await importFiles({ 'a.yaml': registry }, 'openai-evals', 'a.yaml');
    expect(code).toBe(2);
    expect(err).toContain('a.yaml:1: eval whose samples are not there');
  });
});

const output = (content: string) => ({ outputs: [{ role: 'assistant', content }] });
const ITEMS = lines([
  {
    run_id: 'r1',
    data_source_idx: 0,
    item: { q: 'France?', label: 'Paris' },
    sample: output('Paris'),
    grades: { exact: 1 },
    passes: { exact: true },
  },
  {
    run_id: 'r1',
    data_source_idx: 1,
    item: { q: 'Italy?', label: 'Rome' },
    sample: output('rome, of course'),
    grades: { exact: 0 },
    passes: { exact: false },
  },
  {
    run_id: 'r2',
    data_source_idx: 0,
    item: { label: 'Paris', q: 'France?' },
    sample: output('Lyon'),
    grades: { exact: 0 },
  },
]);
const evaluation = (...criteria: readonly object[]) => ({ object: 'eval', testing_criteria: criteria });
const check = (operation: string) => ({
  type: 'string_check',
  name: 'exact',
  input: '{{sample.output_text}}',
  reference: '{{ item.label }}',
  operation,
});

describe('files of the hosted product', () => {
  it('make one task of each item, and give the verdicts that were recorded', async () => {
    const files = { 'eval_items_1.jsonl': ITEMS, 'eval.json': evaluation(check('eq')) };
    const result = await importFiles(files, 'eval_items_1.jsonl', '--eval', 'eval.json');
    expect(result.tasks).toHaveLength(2);
    expect(result.tasks[0]?.input).toEqual({ q: 'France?', label: 'Paris' });
    expect(await scoresOf(result)).toEqual({ 't-0001': 1, 't-0002': 0 });
    const report = result.cli.read('out/import-report.md');
    expect(report).toContain('- data_source_idx 0: exact 1, passed\n- data_source_idx 1: exact 0, failed');
    expect(shownItems(result)).toEqual([
      'note eval.json:1 member of the item that the answer is compared with: it is in the input, where an agent sees it',
      'note eval_items_1.jsonl:3 answer of a further run of the same item: not carried over',
    ]);
  });

  it('lose rows and criteria of another shape, and never without a word', async () => {
    const row = { run_id: 'r1', data_source_idx: 7, item: 'Spain?' };
    const files = { 'i.jsonl': ITEMS + lines([row]), 'eval.json': evaluation(check('eq'), 'exact' as never) };
    const result = await importFiles(files, 'i.jsonl', '--eval', 'eval.json');
    expect(shownItems(result).filter((item) => item.startsWith('lost'))).toEqual([
      'lost eval.json:1 criterion that is no object',
      'lost i.jsonl:4 row that is no item of an eval',
    ]);
  });

  it.each([
    ['eq', { equals: { value: 'Paris' } }],
    ['ne', { equals: { value: 'Paris', not: true } }],
    ['like', { contains: { text: 'Paris' } }],
    ['ilike', { contains: { text: 'Paris', ignoreCase: true } }],
  ])('string_check %s', async (operation, entry) => {
    const files = { 'i.jsonl': ITEMS, 'eval.json': evaluation(check(operation)) };
    const { tasks } = await importFiles(files, 'i.jsonl', '--eval', 'eval.json');
    expect(tasks[0]?.expect).toEqual([entry]);
  });

  const similarity = (evaluation_metric: string) => ({
    ...check(''),
    type: 'text_similarity',
    evaluation_metric,
    pass_threshold: 0.6,
  });
  const model = [{ role: 'user', content: 'Is {{sample.output_text}} right for {{item.q}}?' }];

  it.each([
    [similarity('rouge_1'), { overlap: { text: 'Paris', metric: 'rouge-1', min: 0.6 } }],
    [similarity('rouge_2'), { overlap: { text: 'Paris', metric: 'rouge-2', min: 0.6 } }],
    [similarity('rouge_l'), { overlap: { text: 'Paris', metric: 'rouge-l', min: 0.6 } }],
    [similarity('cosine'), { similar: { text: 'Paris', min: 0.6 } }],
    [similarity('fuzzy_match'), { distance: { text: 'Paris', min: 0.6 } }],
    [
      { type: 'score_model', input: model, range: [1, 5], pass_threshold: 4 },
      { judge: { min: 0.75 }, says: 'Is the answer right for France??' },
    ],
    [
      { type: 'label_model', input: model, labels: ['a', 'b'], passing_labels: ['a'] },
      { judge: {}, says: 'Is the answer right for France??\nThe right label is a.' },
    ],
  ])('%j is changed', async (criterion, entry) => {
    const files = { 'i.jsonl': ITEMS, 'eval.json': evaluation(criterion) };
    const { tasks, items } = await importFiles(files, 'i.jsonl', '--eval', 'eval.json');
    expect(tasks[0]?.expect).toEqual([entry]);
    expect(items).toContainEqual(
      expect.objectContaining({ severity: 'changed', file: 'eval.json', times: 2 }),
    );
  });

  it('other criteria are lost with their line', async () => {
    const criteria = evaluation(check('eq'), similarity('bleu'), { type: 'multi' });
    const files = { 'i.jsonl': ITEMS, 'eval.json': JSON.stringify(criteria, null, 1) };
    const { items, err } = await importFiles(files, 'i.jsonl', '--eval', 'eval.json');
    expect(err).toContain('2 of 2 tests, 2 of 6 assertions carried over; 4 lost');
    expect(items.filter(({ severity }) => severity === 'lost').map(({ pointer }) => pointer)).toEqual([
      '/testing_criteria/1',
      '/testing_criteria/2',
    ]);
  });

  it('a grader in Python becomes a scorer', async () => {
    const source =
      'def grade(sample, item):\n    return 1.0 if sample["output_text"] == item["label"] else 0.0\n';
    const files = {
      'i.jsonl': ITEMS,
      'eval.json': evaluation({ type: 'python', source, pass_threshold: 1 }),
    };
    const result = await importFiles(files, 'i.jsonl', '--eval', 'eval.json');
    expect(await scoresOf(result)).toEqual({ 't-0001': 1, 't-0002': 0 });
  });

  it('objects of the API are read the same way, with the criteria among the files', async () => {
    const item = {
      object: 'eval.run.output_item',
      datasource_item_id: 0,
      datasource_item: { label: 'Paris' },
      sample: { output: [{ role: 'assistant', content: 'Paris' }] },
      results: [{ name: 'exact', score: 1, passed: true }],
    };
    const files = { 'items.json': { object: 'list', data: [item] }, 'eval.json': evaluation(check('eq')) };
    const result = await importFiles(files, 'items.json', 'eval.json');
    expect(await scoresOf(result)).toEqual({ 't-0001': 1 });
  });

  it('without their criteria are refused with what is missing', async () => {
    const { code, err } = await importFiles({ 'i.jsonl': ITEMS }, 'i.jsonl');
    expect(code).toBe(2);
    expect(err).toContain('--eval eval.json');
  });
});
