import { asId, type FindingKind, type RunId } from '@touchstone/protocol';
import type { PageFile, TaskRow } from '@touchstone/sdk/view';
import { describe, expect, it } from 'vitest';
import type { ExportedRun } from '../document.js';
import { renderCsv } from './csv.js';
import type { FileRun } from './file-run.js';
import { renderHtml } from './html.js';
import { renderJsonl } from './jsonl.js';
import { renderSarif } from './sarif.js';

const part = { text: '', sha256: 'none' };
const OPTIONS = { version: '1.2.3' };
const pageOf = (...runs: readonly object[]) => ({
  ...OPTIONS,
  page: { style: part, script: part, data: { version: '1.2.3', runs } as unknown as PageFile },
});
const row = (changes: Partial<TaskRow> = {}): TaskRow => ({
  runId: asId<RunId>('run-1'),
  suite: 'acme.shop.evals.desk@1.0.0',
  agent: 'acme.shop.agent@1.0.0',
  taskId: 'late',
  repeat: 0,
  score: 0.5,
  passed: false,
  outcome: 'completed',
  criteria: [],
  findings: [],
  tags: [],
  content: 'included',
  ...changes,
});
const run = {
  runId: 'run-1',
  status: 'completed',
  interrupted: false,
  suite: { suiteId: 'acme.shop.evals.desk', version: '1.0.0', digest: 'sha256:0' },
  agent: { agentId: 'acme.shop.agent', version: '1.0.0', digest: 'sha256:0' },
  summary: null,
  thresholds: {},
  counts: { total: 1, selected: 1, passed: 0, failed: 1, unscored: 0 },
  unscored: [],
  failures: [],
  unpriced: 0,
  repeats: 1,
  wallMs: 1,
} as unknown as ExportedRun;
const fileRun = (rows: readonly TaskRow[], more: Partial<FileRun> = {}): FileRun => ({ run, rows, ...more });
const cells = (changes: Partial<TaskRow>): string =>
  renderCsv([fileRun([row(changes)])], OPTIONS).split('\r\n')[1] ?? '';

describe('a cell of CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@x', "'@x"],
    ['\tx', "'\tx"],
    ['＝1', "'＝1"],
    ['a=1', 'a=1'],
    ['', ''],
    ['a"b', '"a""b"'],
    ['=a,b', `"'=a,b"`],
  ])('of the text %j is %s', (output, cell) => {
    expect(cells({ output })).toContain(`,included,,${cell},,,`);
  });

  it('of a number is that number, negative or not', () => {
    expect(cells({ output: -1 })).toContain(',included,,-1,,,');
    expect(cells({ tokens: { input: 3, output: 4 } })).toContain(',3,4,');
  });
});

it('a line of JSONL stays one line for readers that end lines at U+2028', () => {
  const text = renderJsonl([fileRun([row({ output: 'a\u2028b\u2029c\nd' })])], OPTIONS);
  expect(text).not.toMatch(/[\u2028\u2029]/);
  expect(JSON.parse(text).output).toBe('a\u2028b\u2029c\nd');
});

describe('SARIF', () => {
  const found = (kind: string, severity: 'low' | 'medium' | 'high' | 'critical') => ({
    kind: kind as FindingKind,
    severity,
  });
  const places = { file: 'evals/a b.suite.yaml', lines: new Map([['late', 7]]) };
  const rows = [
    row({ findings: [found('secret', 'medium')], output: 'canary' }),
    row({ repeat: 1, findings: [found('secret', 'critical'), found('pii', 'low')] }),
  ];
  const log = (more: Partial<FileRun> = {}) =>
    JSON.parse(renderSarif([fileRun(rows, more)], OPTIONS)).runs[0];

  it('has a rule for each kind, by its worst severity, and one result for each task and kind', () => {
    const { tool, results } = log({ places });
    expect(tool.driver.rules).toMatchObject([
      { id: 'pii', defaultConfiguration: { level: 'note' }, properties: { 'security-severity': '3.0' } },
      { id: 'secret', defaultConfiguration: { level: 'error' }, properties: { 'security-severity': '9.5' } },
    ]);
    expect(results).toMatchObject([
      {
        ruleId: 'secret',
        ruleIndex: 1,
        level: 'error',
        partialFingerprints: { 'touchstone/v1': 'acme.shop.evals.desk/late/secret' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'evals/a%20b.suite.yaml', uriBaseId: '%SRCROOT%' },
              region: { startLine: 7 },
            },
          },
        ],
      },
      { ruleId: 'pii', ruleIndex: 0, level: 'note' },
    ]);
  });

  it('holds no content, and names the task where the suite file is not at hand', () => {
    expect(JSON.stringify(log())).not.toContain('canary');
    expect(log().results[0].locations[0]).toEqual({
      logicalLocations: [{ name: 'late', fullyQualifiedName: 'acme.shop.evals.desk/late', kind: 'member' }],
    });
  });
});

describe('the page', () => {
  it('holds answers as data that cannot end its block', () => {
    const output = '</script><script>alert(1)</script><!-- \u2028';
    const text = renderHtml([fileRun([])], pageOf({ output }));
    expect(text.match(/<\/script>/g)).toHaveLength(2);
    expect(text).not.toContain('alert(1)</script>');
    const [, data = ''] = /id="touchstone-file">(.*?)<\/script>/s.exec(text) ?? [];
    expect(JSON.parse(data).runs[0].output).toBe(output);
  });

  it('escapes names in its title', () => {
    const suite = { ...run.suite, suiteId: '<img>' } as unknown as ExportedRun['suite'];
    const text = renderHtml([{ run: { ...run, suite }, rows: [] }], pageOf());
    expect(text).toContain('<title>');
    expect(text).not.toContain('<img>');
  });
});
