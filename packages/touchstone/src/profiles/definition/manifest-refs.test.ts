import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dumpDefinition } from './builders.js';
import { refsBelow } from './manifest-refs.js';
import { readDefinition } from './read-definition.js';
import { issuesOf, manifestAgent, manifestOf } from './testing/definitions.js';

const AGENT = 'type: agent\nid: desk\nname: Desk\nrole: Clerk\ngoal: Help.\n';
const manifest = (ref: string) => JSON.stringify(manifestOf({ desk: { $ref: ref } }), null, 2);

const reader = (files: { readonly [path: string]: string }) => {
  const asked: string[] = [];
  const resolveRef = (path: string) => {
    asked.push(path);
    return files[path];
  };
  return { asked, options: { file: 'team/manifest.json', resolveRef } };
};

describe('a reference to another file', () => {
  test('is replaced by what the file says, whose bytes are then part of the pin', () => {
    const { options } = reader({ 'parts/desk.yaml': AGENT });
    const loaded = readDefinition(manifest('parts/desk.yaml'), options);
    const inline = readDefinition(
      JSON.stringify(
        manifestOf({ desk: manifestAgent('desk', { name: 'Desk', role: 'Clerk', goal: 'Help.' }) }),
      ),
    );
    expect(loaded).toEqual(inline);
    expect(JSON.stringify(dumpDefinition(loaded.value))).not.toContain('$ref');
    const changed = readDefinition(
      manifest('parts/desk.yaml'),
      reader({ 'parts/desk.yaml': `${AGENT}model: other\n` }).options,
    );
    expect(changed.agents[0]?.sha256).not.toBe(loaded.agents[0]?.sha256);
  });

  test('is followed from where it stands, and may go up as long as it stays below the root', () => {
    const { options, asked } = reader({
      'a/b/one.json': '{"$ref": "../two.json"}',
      'a/two.json': JSON.stringify(manifestAgent('desk')),
    });
    expect(readDefinition(manifest('./a/b/one.json'), options).agents).toHaveLength(1);
    expect(asked).toEqual(['a/b/one.json', 'a/two.json']);
  });

  test.each([
    '../desk.yaml',
    'a/../../desk.yaml',
    '/etc/passwd',
    'C:\\a',
    'a\\b',
    'file:///a',
    '#/definitions/a',
    '',
    '.',
    'a\u0000b',
  ])('never leaves the root: %j', (ref) => {
    const { options, asked } = reader({});
    expect(issuesOf(() => readDefinition(manifest(ref), options))).toMatchObject([
      { pointer: '/definitions/desk/$ref', line: 9, column: 7 },
    ]);
    expect(asked).toEqual([]);
  });

  test.each<[string, { readonly [path: string]: string }, string]>([
    ['to itself', { 'a.json': '{"$ref": "a.json"}' }, 'leads back'],
    ['in a circle', { 'a.json': '{"$ref": "b.json"}', 'b.json': '{"$ref": "a.json"}' }, 'leads back'],
    ['back to the manifest', { 'a.json': '{"$ref": "manifest.json"}' }, 'leads back'],
    ['to nothing', {}, 'Expected a file at "a.json"'],
    ['to a list', { 'a.json': '[]' }, 'Expected one definition in "a.json"'],
    ['to a manifest', { 'a.json': JSON.stringify(manifestOf({})) }, 'Expected one definition in "a.json"'],
    ['to broken JSON', { 'a.json': '{\n  "type": }' }, 'In "a.json", line 2, column 11, /type:'],
    ['to a key twice', { 'a.json': '{"type": 1,\n "type": 2}' }, 'In "a.json", line 2, column 2, /type:'],
    [
      'to an agent with a slip',
      { 'a.json': JSON.stringify(manifestAgent('desk', { evaluation: { x: 1 } }), null, 1) },
      'In "a.json", line 8, column 3, /evaluation/x: Unknown member',
    ],
    [
      'to an agent of another id',
      { 'a.json': JSON.stringify(manifestAgent('clerk'), null, 1) },
      'In "a.json", line 3, column 2, /id:',
    ],
  ])('%s is refused where it stands', (_, files, message) => {
    expect(issuesOf(() => readDefinition(manifest('a.json'), reader(files).options))).toMatchObject([
      { pointer: '/definitions/desk/$ref', message: expect.stringContaining(message), line: 9, column: 7 },
    ]);
  });

  test('stands alone', () => {
    const text = JSON.stringify(manifestOf({ desk: { $ref: 'a.json', type: 'agent' } }));
    expect(issuesOf(() => readDefinition(text, reader({ 'a.json': '{}' }).options))[0]?.pointer).toBe(
      '/definitions/desk/$ref',
    );
  });

  test('inside a schema is none of this', () => {
    const outputs = { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } };
    const text = JSON.stringify(manifestOf({ desk: manifestAgent('desk', { interface: { outputs } }) }));
    expect(readDefinition(text).agents[0]?.capabilities[0]?.outputs).toEqual(outputs);
  });

  test('warns of a map of properties with its own file and line', () => {
    const { options } = reader({ 'a.yaml': `${AGENT}interface:\n  outputs: {y: {}}\n` });
    expect(readDefinition(manifest('a.yaml'), options).warnings).toMatchObject([
      {
        code: 'bare_properties',
        pointer: '/definitions/desk/$ref',
        line: 9,
        message: expect.stringContaining('In "a.yaml", line 7, column 3, /interface/outputs:'),
      },
    ]);
  });

  test('too many of them are refused before any is followed', () => {
    const { options, asked } = reader({});
    const many = Object.fromEntries(
      Array.from({ length: 65 }, (_, index) => [`d${index}`, { $ref: 'a.json' }]),
    );
    expect(issuesOf(() => readDefinition(JSON.stringify(manifestOf(many)), options))[0]?.message).toContain(
      'at most 64',
    );
    expect(asked).toEqual([]);
  });
});

describe('files below a folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'touchstone-refs-'));
    mkdirSync(join(folder, 'root/parts'), { recursive: true });
    writeFileSync(join(folder, 'root/parts/desk.yaml'), AGENT);
    writeFileSync(join(folder, 'secret.yaml'), AGENT);
    writeFileSync(join(folder, 'root/bytes.yaml'), Buffer.from([0xff, 0xfe, 0x00]));
    symlinkSync(join(folder, 'secret.yaml'), join(folder, 'root/escape.yaml'));
    symlinkSync(join(folder, 'root/parts/desk.yaml'), join(folder, 'root/inside.yaml'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('are read, also through links that stay inside', () => {
    const open = refsBelow(join(folder, 'root'));
    expect(open('parts/desk.yaml')).toBe(AGENT);
    expect(open('inside.yaml')).toBe(AGENT);
  });

  test.each(['escape.yaml', '../secret.yaml', 'parts', 'none.yaml', 'bytes.yaml'])('but not %s', (path) => {
    expect(refsBelow(join(folder, 'root'))(path)).toBeUndefined();
  });
});

test('a profile of something that calls itself no agent is a slip, not something to pass over', () => {
  const { type: _, ...desk } = manifestAgent('desk', { evaluation: { grading_rubric: [] } });
  for (const odd of [{ ...desk, type: 'agnt' }, desk])
    expect(issuesOf(() => readDefinition(JSON.stringify(manifestOf({ desk: odd }))))).toMatchObject([
      { pointer: '/definitions/desk/type', message: expect.stringContaining('"agent"') },
    ]);
  const tool = { type: 'tool', id: 'desk', evaluation: null };
  expect(readDefinition(JSON.stringify(manifestOf({ desk: tool }))).agents).toEqual([]);
});
