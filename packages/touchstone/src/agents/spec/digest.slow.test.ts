import { chmod, cp, mkdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../fixtures/temporary-folder.js';
import { agentDigest, readAgentFiles } from './digest.js';
import { inspectAgent } from './not-followed.js';
import { parseAgentSpec } from './spec.js';

const digestOf = (run: object, baseDir: string, more: object = {}) =>
  agentDigest(
    parseAgentSpec({ agentId: 'local.acme.a', version: '1.0.0', run, ...more }, 'operator'),
    baseDir,
  );

async function folderWith(files: { readonly [path: string]: string }): Promise<string> {
  const folder = await temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

const MODULE = {
  'agent.ts':
    "import { a } from './parts/a.js';\nexport * from './plain';\nconst b = await import('./b.mjs');",
  'parts/a.ts': "const data = require('../data.json');\nimport './index-of';",
  'parts/index-of/index.ts': "import '../../agent';",
  'plain.ts': 'export {};',
  'b.mjs': "import 'node:fs';",
  'data.json': '{}',
  'stranger.ts': 'export {};',
};

describe('the digest of a module', () => {
  const run = { kind: 'module', path: 'agent.ts' };

  it.each(Object.keys(MODULE).filter((name) => name !== 'stranger.ts'))('changes with %s', async (name) => {
    const folder = await folderWith(MODULE);
    const before = await digestOf(run, folder);
    await writeFile(join(folder, name), `${MODULE[name as keyof typeof MODULE]} `);
    expect(await digestOf(run, folder)).not.toBe(before);
  });

  it('does not change with a file it does not import, nor with the folder it lies in', async () => {
    const folder = await folderWith(MODULE);
    const before = await digestOf(run, folder);
    await writeFile(join(folder, 'stranger.ts'), 'changed');
    const elsewhere = await temporaryFolder();
    await cp(folder, elsewhere, { recursive: true });
    expect(await digestOf(run, elsewhere)).toBe(before);
    expect(before).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('cannot be made without the file', async () => {
    await expect(digestOf(run, await temporaryFolder())).rejects.toThrow(/\/run\/path: .*"agent\.ts"/);
  });

  it('cannot be made of more files than an agent should have', async () => {
    const folder = await folderWith({ 'agent.ts': 'import "./0.ts";' });
    for (let number = 0; number <= 2_000; number += 1) {
      await writeFile(join(folder, `${number}.ts`), `import "./${number + 1}.ts";`);
    }
    await expect(digestOf(run, folder)).rejects.toThrow(/2000 files/);
  });
});

describe('the digest of a command', () => {
  it('changes with its program and with files among its arguments, found from its folder', async () => {
    const files = { 'bin/run.sh': '#!/bin/sh', 'bin/prompt.txt': 'hello', 'run.sh': 'another one' };
    const folder = await folderWith(files);
    const run = { kind: 'command', command: './run.sh', args: ['--prompt', 'prompt.txt'], cwd: 'bin' };
    const seen = new Set([await digestOf(run, folder)]);
    for (const name of ['bin/run.sh', 'bin/prompt.txt']) {
      await writeFile(join(folder, name), 'changed');
      seen.add(await digestOf(run, folder));
    }
    expect(seen.size).toBe(3);
    await writeFile(join(folder, 'run.sh'), 'changed');
    expect(seen).toContain(await digestOf(run, folder));
  });

  it('of a program found by PATH is that of its description', async () => {
    const run = { kind: 'command', command: 'python3', args: ['-c', 'pass'] };
    expect(await digestOf(run, await temporaryFolder())).toBe(await digestOf(run, await temporaryFolder()));
  });
});

const PYTHON = {
  'bot.py':
    'import os, helper as h\nfrom pkg.deep import (\n  one,  # the first\n  two,\n)\nif True: import late\nx = __import__("called")',
  'helper.py': 'from pkg \\\n  import sibling',
  'late.py': '',
  'called.py': '',
  'pkg/__init__.py': 'from . import sibling',
  'pkg/sibling.py': 'from .deep.two import x',
  'pkg/deep/__init__.py': '',
  'pkg/deep/one.py': 'from ..sibling import y',
  'pkg/deep/two.py': '',
  'stranger.py': '',
  'os.path': '',
};

describe('the digest of a Python program', () => {
  const changes = async (run: object, names: readonly string[], expected: boolean) => {
    const folder = await folderWith(PYTHON);
    for (const name of names) {
      const before = await digestOf(run, folder);
      await writeFile(join(folder, name), 'changed = 1');
      expect([name, (await digestOf(run, folder)) !== before]).toEqual([name, expected]);
      await writeFile(join(folder, name), PYTHON[name as keyof typeof PYTHON]);
    }
  };
  const own = Object.keys(PYTHON).filter((name) => name.endsWith('.py') && name !== 'stranger.py');

  it('changes with what it imports from beside it, and with nothing else', async () => {
    const run = { kind: 'command', command: 'python3', args: ['-u', 'bot.py'] };
    await changes(run, own, true);
    await changes(run, ['stranger.py', 'os.path'], false);
  });

  it('that is started as a module begins at the module, found from its folder', async () => {
    await changes({ kind: 'command', command: 'python3.12', args: ['-m', 'bot'] }, own, true);
    const folder = await folderWith({ 'src/app/__main__.py': 'import app.part', 'src/app/part.py': '' });
    const run = { kind: 'command', command: 'python', args: ['-m', 'app'], cwd: 'src' };
    const before = await digestOf(run, folder);
    await writeFile(join(folder, 'src/app/part.py'), 'changed = 1');
    expect(await digestOf(run, folder)).not.toBe(before);
  });

  it('is followed by the line that says who reads it, and along PYTHONPATH', async () => {
    const folder = await folderWith({
      bot: '#!/usr/bin/env python3\nimport shared\n',
      'lib/shared.py': '',
    });
    const run = { kind: 'command', command: './bot', env: { PYTHONPATH: 'lib' } };
    const before = await digestOf(run, folder);
    await writeFile(join(folder, 'lib/shared.py'), 'changed = 1');
    expect(await digestOf(run, folder)).not.toBe(before);
  });
});

describe('files that an entry lists', () => {
  const run = { kind: 'module', path: 'agent.mjs' };
  const FILES = {
    'agent.mjs': 'export default () => 1;',
    'prompts/a.txt': 'a',
    'prompts/deep/b.txt': 'b',
    'prompts/deep/c.md': 'c',
    'prompts/node_modules/d.txt': 'd',
    'data.json': '{}',
  };
  it.each([
    [['prompts/a.txt'], ['prompts/a.txt']],
    [['prompts/*.txt'], ['prompts/a.txt']],
    [['prompts/**/?.txt'], ['prompts/a.txt', 'prompts/deep/b.txt']],
    [['prompts'], ['prompts/a.txt', 'prompts/deep/b.txt', 'prompts/deep/c.md']],
    [
      ['./prompts/**', 'data.json'],
      ['prompts/a.txt', 'prompts/deep/b.txt', 'prompts/deep/c.md', 'data.json'],
    ],
  ])('%j belong to its digest', async (files, covered) => {
    const folder = await folderWith(FILES);
    for (const name of Object.keys(FILES)) {
      const before = await digestOf(run, folder, { files });
      await writeFile(join(folder, name), 'export default () => 2;');
      const isCovered = name === 'agent.mjs' || covered.includes(name);
      expect([name, (await digestOf(run, folder, { files })) !== before]).toEqual([name, isCovered]);
    }
  });

  it('are not looked for behind a link to a folder, which may lead in a circle', async () => {
    const folder = await folderWith(FILES);
    const before = await digestOf(run, folder, { files: ['prompts'] });
    await symlink('.', join(folder, 'prompts/around'));
    expect(await digestOf(run, folder, { files: ['prompts'] })).toBe(before);
    await symlink('../data.json', join(folder, 'prompts/data'));
    expect(await digestOf(run, folder, { files: ['prompts'] })).not.toBe(before);
  });

  it('belong to it as soon as they are there', async () => {
    const folder = await folderWith(FILES);
    const before = await digestOf(run, folder, { files: ['prompts'] });
    await writeFile(join(folder, 'prompts/new.txt'), '');
    expect(await digestOf(run, folder, { files: ['prompts'] })).not.toBe(before);
  });

  it('have to be there', async () => {
    const folder = await folderWith(FILES);
    await expect(digestOf(run, folder, { files: ['data.json', 'prompt/*.txt'] })).rejects.toThrow(
      /\/files\/1: .*"prompt\/\*\.txt"/,
    );
  });

  it('are for agents that are programs', () => {
    const http = { kind: 'http', url: 'https://agent.example/' };
    const spec = { agentId: 'local.acme.a', version: '1.0.0', files: ['x'] };
    expect(() => parseAgentSpec({ ...spec, run: http }, 'operator')).toThrow(/\/files: only agents of kind/);
    expect(() => parseAgentSpec({ ...spec, run: http }, 'tenant')).toThrow(/\/files/);
  });
});

describe('the files of an agent in use', () => {
  const spec = parseAgentSpec(
    { agentId: 'local.acme.a', version: '1.0.0', files: ['prompts'], run: { kind: 'module', path: 'a.mjs' } },
    'operator',
  );
  const opened = async () => {
    const folder = await folderWith({ 'a.mjs': 'import "./b.mjs";', 'b.mjs': '', 'prompts/x.txt': 'x' });
    return { folder, files: await readAgentFiles(spec, folder) };
  };

  /** The clock of a file system may stand still for some milliseconds. */
  const untilClockMoves = async (path: string): Promise<void> => {
    const { ctimeNs } = await stat(path, { bigint: true });
    const probe = `${path}.probe`;
    do await writeFile(probe, '');
    while ((await stat(probe, { bigint: true })).ctimeNs <= ctimeNs);
    await rm(probe);
  };

  it('are the same while nobody writes to them', async () => {
    const { files } = await opened();
    expect([await files.isUntouched(), await files.isSame()]).toEqual([true, true]);
  });

  it.each(['a.mjs', 'b.mjs', 'prompts/x.txt'])(
    'have been written to when %s was changed and put back, times included',
    async (name) => {
      const { folder, files } = await opened();
      const path = join(folder, name);
      const [content, { atime, mtime }] = [await readFile(path), await stat(path)];
      await untilClockMoves(path);
      await writeFile(path, 'something else');
      await writeFile(path, content);
      await utimes(path, atime, mtime);
      expect(await files.isUntouched()).toBe(false);
    },
  );

  it('have been written to when one is gone', async () => {
    const { folder, files } = await opened();
    await rm(join(folder, 'b.mjs'));
    expect([await files.isUntouched(), await files.isSame()]).toEqual([false, false]);
  });

  it('are not the same when there is one more', async () => {
    const { folder, files } = await opened();
    await writeFile(join(folder, 'prompts/y.txt'), 'y');
    expect([await files.isUntouched(), await files.isSame()]).toEqual([true, false]);
  });
});

describe('what a digest does not cover', () => {
  const notFollowed = async (
    files: { readonly [path: string]: string },
    run: object,
    more: object = {},
  ): Promise<unknown> => {
    const entry = { agentId: 'local.acme.a', version: '1.0.0', run, ...more };
    return (await inspectAgent(parseAgentSpec(entry, 'operator'), await folderWith(files))).notFollowed;
  };
  const command = (name: string, ...args: string[]) => ({ kind: 'command', command: name, args });

  it.each([
    ['a module', { 'a.mjs': 'import "./b.mjs";', 'b.mjs': '' }, { kind: 'module', path: 'a.mjs' }],
    ['a script of Node', { 'a.mjs': '' }, command('node', '--import=./a.mjs', 'a.mjs')],
    ['a script of Python', { 'a.py': 'import b', 'b.py': '' }, command('python3', 'a.py')],
    ['a module of Python', { 'a/__main__.py': '' }, command('python3', '-m', 'a')],
    ['a file that says who reads it', { a: '#!/usr/bin/env -S npx tsx\n' }, command('./a')],
    ['a service', {}, { kind: 'http', url: 'https://agent.example/' }],
  ])('is nothing that can be found, of %s', async (_what, files, run) => {
    expect(await notFollowed(files, run)).toBeUndefined();
  });

  it.each([
    ['a shell script', { 'a.sh': 'python other.py' }, command('bash', 'a.sh'), 'a.sh'],
    ['a program on the PATH', {}, command('agent-of-mine', '--fast'), 'agent-of-mine'],
    ['code among the arguments', {}, command('node', '-e', 'require("./x")'), 'node'],
    ['an installed module of Python', {}, command('python3', '-m', 'installed'), 'python3'],
    ['a program of its own', { agent: 'ELF' }, command('./agent'), 'agent'],
  ])('is what %s uses', async (_what, files, run, program) => {
    expect(await notFollowed(files, run)).toEqual({ program, files: [] });
  });

  it('is a file that its sources name', async () => {
    const files = {
      'src/a.mjs': 'readFileSync("prompt.txt"); new URL(`./rules.md`, import.meta.url); log("absent.txt")',
      'src/prompt.txt': '',
      'src/rules.md': '',
      'absent.md': '',
    };
    const run = { kind: 'module', path: 'src/a.mjs' };
    expect(await notFollowed(files, run)).toEqual({ files: ['src/prompt.txt', 'src/rules.md'] });
    expect(await notFollowed(files, run, { files: ['src/*.txt'] })).toBeUndefined();
  });

  it('is nothing once the operator says that there is nothing', async () => {
    expect(await notFollowed({ 'a.sh': '' }, command('bash', 'a.sh'), { files: [] })).toBeUndefined();
  });
});

describe('any digest', () => {
  const run = { kind: 'http', url: 'https://agent.example/' };

  it('changes with the description, but not with its order or its tenant', async () => {
    const plain = await digestOf(run, '/');
    expect(await digestOf({ url: run.url, kind: run.kind }, '/')).toBe(plain);
    expect(await digestOf(run, '/', { tenant: 'acme' })).toBe(plain);
    expect(await digestOf(run, '/', { persona: 'Someone' })).not.toBe(plain);
    expect(await digestOf({ ...run, timeoutMs: 5 }, '/')).not.toBe(plain);
  });
});

describe('the digest of a command whose program is large', () => {
  /** A shell script with a long tail: larger than what is read, and it runs. */
  const programOf = (version: string, size = 65 * 1024 * 1024): string =>
    `#!/bin/sh\necho ${version}\nexit 0\n`.padEnd(size, '#');
  const run = { kind: 'command', command: './interpreter', args: ['bot.py'] };
  async function folder(version: string, size?: number): Promise<string> {
    const made = await folderWith({ interpreter: programOf(version, size), 'bot.py': 'print(1)' });
    await chmod(join(made, 'interpreter'), 0o755);
    return made;
  }

  it('covers its own files', async () => {
    const where = await folder('1.0');
    const before = await digestOf(run, where);
    await writeFile(join(where, 'bot.py'), 'print(2)');
    expect(await digestOf(run, where)).not.toBe(before);
  });

  it('changes with the version and with the size of the program', async () => {
    const where = await folder('1.0');
    const first = await digestOf(run, where);
    await writeFile(join(where, 'interpreter'), programOf('2.0'));
    const second = await digestOf(run, where);
    await writeFile(join(where, 'interpreter'), programOf('2.0', 66 * 1024 * 1024));
    expect(new Set([first, second, await digestOf(run, where)]).size).toBe(3);
  });

  it('is there for a program that knows no --version', async () => {
    const where = await folder('1.0');
    await writeFile(join(where, 'interpreter'), '#!/bin/sh\nexit 3\n'.padEnd(65 * 1024 * 1024, '#'));
    expect(await digestOf(run, where)).toMatch(/^sha256:/);
  });
});
