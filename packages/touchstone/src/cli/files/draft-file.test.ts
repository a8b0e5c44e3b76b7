import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDraft } from './draft-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-draft-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const SHA = 'ab'.repeat(32);

test('drafts that a killed process has left are taken away, those of a living one and other files are not', async () => {
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const kept = [
    `.abababab.suite.${process.ppid}.tmp`,
    `.mine.suite.${ended}.tmp`,
    `abababab.suite.${ended}.tmp`,
    '.abababab.suite.tmp',
  ];
  const left = [`.abababab.suite.${ended}.tmp`, `.00ff00ff.contract.${ended}.tmp`];
  for (const name of [...kept, ...left]) writeFileSync(join(folder, name), 'half');
  const draft = openDraft(folder, SHA, 'suite');
  await draft.write('whole');
  expect(readdirSync(folder).sort()).toEqual([...kept, `.abababab.suite.${process.pid}.tmp`].sort());
  draft.place(join(folder, 'a.json'), false);
  await draft.discard();
  expect(readdirSync(folder).sort()).toEqual([...kept, 'a.json'].sort());
});
