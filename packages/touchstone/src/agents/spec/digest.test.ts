import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../fixtures/temporary-folder.js';
import { agentDigest } from './digest.js';
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
