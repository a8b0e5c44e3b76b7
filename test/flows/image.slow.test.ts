import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../../packages/touchstone/src/agents/fixtures/free-port.js';
import { listIn, readStages, type Stage } from './dockerfile.js';
import { temporaryFolder } from './processes.js';

// Goal: what the last stage of the Dockerfile holds is enough to serve. Method: its instructions are carried out by hand, with every
// absolute path below a temporary folder. Users are left out: this may not be root.
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** Every path that the Dockerfile names begins with one of these. */
const below = (root: string, text: string): string =>
  text
    .replaceAll(/(?<=^|[\s=])\/(?=(?:src|packed|app|usr|opt|data|etc)\b)/g, `${root}/`)
    .replaceAll('-o node -g node ', '');

/** What the rules of .dockerignore let into the build, as far as this Dockerfile uses their language. */
function copyContext(to: string): void {
  const rules = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  const wanted = rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1));
  const left = rules.filter((rule) => rule.startsWith('**/')).map((rule) => rule.slice(3));
  const fits = (pattern: string, name: string): boolean =>
    new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(name);
  const files = execFileSync('ls', ['-A', ROOT], { encoding: 'utf8' }).trim().split('\n');
  for (const name of files.filter((one) => wanted.some((rule) => fits(rule, one))))
    cpSync(join(ROOT, name), join(to, name), {
      recursive: true,
      filter: (path) => !left.some((rule) => fits(rule, basename(path))),
    });
}

function carryOut({ instructions }: Stage, root: string, buildRoot: string): void {
  let workdir = root;
  for (const { name, text } of instructions) {
    if (name === 'WORKDIR') {
      workdir = below(root, text);
      mkdirSync(workdir, { recursive: true });
    } else if (name === 'COPY') {
      copy(text, root, buildRoot, workdir);
    } else if (name === 'RUN') {
      const env = { ...process.env, npm_config_prefer_offline: 'true' };
      const { status, stderr } = spawnSync('sh', ['-c', below(root, text)], {
        cwd: workdir,
        env,
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(`RUN ${text} ended with ${status}: ${stderr.slice(-2_000)}`);
    }
  }
}

function copy(text: string, root: string, buildRoot: string, workdir: string): void {
  const [first = '', from = '', to = ''] = text.split(' ');
  if (first === '.') {
    copyContext(workdir);
    return;
  }
  expect(first).toBe('--from=build');
  cpSync(below(buildRoot, from), below(root, to), { recursive: true, verbatimSymlinks: true });
}

it('the image is built by its own commands, and serves with its own entry point and health check', async () => {
  const [build, last] = readStages() as readonly [Stage, Stage];
  const [buildRoot, root] = [join(folder.path, 'build'), join(folder.path, 'image')];
  const bin = join(root, 'usr/local/bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(process.execPath, join(bin, 'node'));
  carryOut(build, buildRoot, buildRoot);
  carryOut(last, root, buildRoot);

  const instruction = (name: string) => last.instructions.find((one) => one.name === name)?.text ?? '';
  const [entry = ''] = listIn(instruction('ENTRYPOINT'));
  const port = await freePort();
  const env = { PATH: `${bin}:/usr/bin:/bin`, NO_COLOR: '1', HOME: '/nonexistent' };
  const cwd = join(root, 'etc/touchstone');
  const words = listIn(instruction('CMD')).map((word) => below(root, word).replace('0.0.0.0', '127.0.0.1'));
  const made = spawnSync(join(bin, entry), ['keys', 'create', '--data', join(root, 'data')], {
    ...{ cwd, env, encoding: 'utf8' as const },
  });
  expect(made).toMatchObject({ status: 0, stdout: expect.stringMatching(/^ts_/) });
  const host = spawn(join(bin, entry), [...words, '--port', String(port)], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(host.stdout, 'data')) as [Buffer];
  expect(String(line)).toContain(`listening http://127.0.0.1:${port}`);

  const check = instruction('HEALTHCHECK').replace(/^.*?CMD /, '');
  const [program = '', ...args] = listIn(check).map((word) => word.replace(':8787/', `:${port}/`));
  const checked = spawn(join(bin, program), args, { cwd, env });
  expect((await once(checked, 'close'))[0]).toBe(0);
  expect(existsSync(join(root, 'app/node_modules/pg'))).toBe(true);
  expect(existsSync(join(root, 'app/node_modules/vitest'))).toBe(false);
  host.kill('SIGTERM');
  expect((await once(host, 'close'))[0]).toBe(0);
});
