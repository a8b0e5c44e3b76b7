import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Suite } from '../ports/index.js';
import { cannedTools, readLongSuite } from './long-suite.js';
import { readSuiteFile, type SuiteReading } from './parse-suite.js';

// Goal: a file that is read a page at a time is the same suite as when it is read at once, and what is not certain is left to the
// other way. Method: both ways on the same texts.

function placed(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-long-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'many.suite.json');
  writeFileSync(path, text);
  return path;
}

const readWhole = (text: string) => () => readSuiteFile(text, { file: 'many.suite.json' });
const readPaged = (text: string): SuiteReading | undefined =>
  readLongSuite(placed(text), 'many.suite.json', readWhole(text), 0);

const pagesOf = ({ stream }: Suite) => [...(stream?.pages() ?? [])];

type Members = { readonly [member: string]: unknown };
const golden = (at: number, more: Members = {}): Members => ({
  taskId: `task-${at}`,
  input: { text: `"quoted" \\ {[ ${at} ]} ü 😀`, more: [[], {}, null, -1.5e3, true] },
  expected: { kind: 'golden', match: { strategy: 'exact', value: at } },
  ...more,
});
const rubric = (at: number, criterion = 'It answers.'): Members =>
  golden(at, { expected: { kind: 'rubric', rubric: [{ criterion, weight: 1 }] } });

const suiteOf = (tasks: readonly Members[], more: Members = {}): Members => ({
  suiteId: 'acme.shop.evals.many',
  version: '1.0.0',
  modes: ['golden', 'rubric'],
  thresholds: { passScore: 0.5 },
  ...more,
  tasks,
});
const many = (count: number, make = golden) => Array.from({ length: count }, (_, at) => make(at));

it.each<[string, Members]>([
  ['one page', suiteOf(many(3))],
  ['pages that are full', suiteOf(many(512))],
  ['a rest', suiteOf(many(700))],
  ['tasks longer than a block', suiteOf(many(5, (at) => golden(at, { input: 'x"\\'.repeat(150_000) })))],
  [
    'checks, tools and notes',
    suiteOf([
      ...many(300),
      rubric(300),
      rubric(301, '[check:scorer {"name":"b"}] Good.'),
      golden(302, { fixtures: { toolResponses: [{ tool: 'local:orders.get', response: {} }] } }),
      golden(303, { tags: ['slow'], description: 'Takes long.' }),
      ...many(300, (at) => rubric(at + 400, '[check:scorer {"name":"a"}] Good.')),
    ]),
  ],
  ['what authors write', suiteOf([{ taskId: 'a', input: 1, expect: ['It is so.', { contains: 'x' }] }])],
])('a file with %s is the suite that it is when it is read at once', (_, document) => {
  for (const text of [JSON.stringify(document), JSON.stringify(document, null, 2)]) {
    const [whole, paged] = [readWhole(text)(), readPaged(text)];
    expect(paged?.suite.head).toEqual(whole.suite.head);
    expect(paged && pagesOf(paged.suite).flat()).toEqual(whole.suite.tasks);
    expect(paged?.suite.tasks).toEqual(whole.suite.tasks);
    expect(paged?.notes).toEqual(whole.notes);
    expect(paged && cannedTools(paged.suite)).toEqual(cannedTools(whole.suite));
    expect(paged?.lines()).toEqual(whole.lines());
  }
});

const plain = JSON.stringify(suiteOf(many(300)));
it.each<[string, string]>([
  [
    'with members behind its tasks',
    JSON.stringify({ ...suiteOf([]), tasks: many(3), version: '1.0.0' })
      .replace('"version":"1.0.0",', '')
      .replace(/}$/, ',"version":"1.0.0"}'),
  ],
  ['that leaves out its modes', JSON.stringify({ ...suiteOf(many(3)), modes: undefined })],
  ['with a task twice', JSON.stringify(suiteOf([...many(300), golden(7)]))],
  ['with a member twice', plain.replace('"version"', '"suiteId":"a.b.evals.c","version"')],
  ['with a member of a task twice', plain.replace('"taskId":"task-290"', '"taskId":"x","taskId":"task-290"')],
  [
    'with two judges',
    JSON.stringify(
      suiteOf([
        rubric(0, '[check:judge {"judge":"a.b.judges.c@1.0.0"}] A.'),
        ...many(300, (at) => golden(at + 1)),
        rubric(999, '[check:judge {"judge":"a.b.judges.d@1.0.0"}] B.'),
      ]),
    ),
  ],
  [
    'with something wrong in a task',
    JSON.stringify(suiteOf([...many(300), golden(300, { expected: { kind: 'golden' } })])),
  ],
  ['with a number out of range', plain.replace('-1500', '1e999')],
  ['with something that is no task', JSON.stringify({ ...suiteOf([]), tasks: [...many(3), 4] })],
  ['without tasks', JSON.stringify(suiteOf([]))],
  ['with two commas', plain.replace(/},{"taskId":"task-256"/, '},,{"taskId":"task-256"')],
  ['with a comma at the end', plain.replace(/]}$/, ',]}')],
  ['that ends too early', plain.slice(0, -1)],
  ['with something behind its end', `${plain}x`],
  ['with a byte order mark', `\uFEFF${plain}`],
  ['that is a list', `[${plain}]`],
])('a file %s is left to the other way', (_, text) => {
  expect(readPaged(text)).toBeUndefined();
});

it('a file that is written to after it was read is refused, and nothing of it is taken for what it was', () => {
  const text = JSON.stringify(suiteOf(many(600)));
  const path = placed(text);
  const paged = readLongSuite(path, 'many.suite.json', readWhole(text), 0);
  writeFileSync(path, text.replace('task-599', 'task-601'));
  expect(() => paged && pagesOf(paged.suite)).toThrow('written to while it was read');
  writeFileSync(path, text.slice(0, 5_000));
  expect(() => paged && pagesOf(paged.suite)).toThrow('written to while it was read');
});

it('a short file is read at once', () => {
  expect(readLongSuite(placed(plain), 'many.suite.json', readWhole(plain))).toBeUndefined();
});
