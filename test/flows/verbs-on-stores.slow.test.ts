import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestCli } from '../../packages/touchstone/src/cli/testing/test-cli.js';
import { hasPostgres, type Server, startServer } from '../setup/postgres.js';

// Goal: every verb says the same, whichever engine holds the store. Method: the same commands in two folders that differ in
// nothing but the store; what they print is compared, apart from ids, times and sizes.
const SUITE = 'say.suite.json';
const ECHO = ['--agent', './echo.mjs'];
const SLOW = ['--agent', './slow.mjs', '--concurrency', '1'];

/** In order: later ones rely on earlier ones. `@1` stands for the first run. */
const COMMANDS: readonly (readonly string[])[] = [
  ['runs'],
  ['show', 'last'],
  ['baseline', 'list'],
  ['audit', 'verify'],
  ['usage'],
  ['run', SUITE, ...ECHO],
  ['run', SUITE, ...ECHO, '--baseline', 'last'],
  ['runs'],
  ['show', '@1'],
  ['show', 'last', '--all', '--bodies'],
  ['show', '@1', '--task', 's-2', '--bodies'],
  ['show', '@1', '--events'],
  ['compare', '@1', '@2'],
  ['baseline', 'bless', '@1'],
  ['baseline', 'list'],
  ['run', SUITE, ...ECHO, '--baseline', 'blessed'],
  ['run', SUITE, ...ECHO, '--failed'],
  ['annotate', '@1', '--task', 's-2', '--passed', '--note', 'Near enough.'],
  ['annotate', '@1', '--list', '--bodies'],
  ['show', '@1'],
  ['replay', '@1'],
  ['replay', '@1', '--branch', '--from', '2'],
  ['export', '@1', '--out', 'one.scorecard.json'],
  ['verify', 'one.scorecard.json'],
  ['keys', 'create', '--tenant', 'acme', '--role', 'runner'],
  ['keys', 'list'],
  ['audit', 'list'],
  ['audit', 'verify'],
  ['deployments', 'local.cli.agent'],
  ['prune', '--keep', '1', '--dry-run'],
  ['prune', '--keep', '2', '--bodies-only'],
  ['show', '@2', '--bodies', '--all'],
  ['prune', '--keep', '1'],
  ['runs'],
  ['show', '@2'],
  ['usage'],
  ['audit', 'verify'],
  ['store', 'prepare'],
  ['store', 'check'],
  ['run', '--resume', 'run-none'],
];

describe.skipIf(!hasPostgres())('verbs on both engines', () => {
  let database: Server;
  const folders: ReturnType<typeof openFolder>[] = [];
  beforeAll(async () => {
    database = await startServer({ durable: true });
    folders.push(openFolder(), openFolder(database.url));
  });
  afterAll(async () => {
    for (const folder of folders) folder.close();
    await database?.stop();
  });
  const both = <T>(use: (folder: ReturnType<typeof openFolder>) => Promise<T>): Promise<T[]> =>
    Promise.all(folders.map(use));

  it.each(COMMANDS.map((command) => [command.join(' '), command] as const))(
    'touchstone %s',
    async (_, command) => {
      const [file, postgres] = await both(({ told }) => told(...command));
      expect(postgres).toEqual(file);
      const [fileJson, postgresJson] = await both(({ told }) => told(...command, '--json'));
      expect(postgresJson).toEqual(fileJson);
    },
  );

  it('touchstone doctor', async () => {
    const [file, postgres] = await both(({ told }) => told('doctor'));
    const others = (text: string | undefined) => text?.split('\n').filter((line) => !/ store +/.test(line));
    expect(others(postgres?.out)).toEqual(others(file?.out));
    expect(postgres?.out).toMatch(/✓ store +the PostgreSQL database is sound and holds \d+ runs/);
    expect(postgres?.code).toBe(file?.code);
  });

  it('touchstone run --resume continues an interrupted run', async () => {
    const [file, postgres] = await both(({ resumed }) => resumed());
    expect(postgres).toEqual(file);
    expect(postgres).toMatchObject({ interrupted: 130, code: 0 });
  });

  it('touchstone view shows the page, and ends when it is told to', async () => {
    expect(await both(({ viewed }) => viewed())).toEqual([
      [200, 0],
      [200, 0],
    ]);
  });

  it('touchstone backup is for files, and names the tools of the server', async () => {
    const [file, postgres] = await both(({ told }) => told('backup', 'copy'));
    expect(file).toMatchObject({ code: 0 });
    expect(postgres).toMatchObject({ code: 2, err: expect.stringContaining('Use pg_dump') });
  });
});

function openFolder(url?: string) {
  const cli = openTestCli({ env: url === undefined ? {} : { DATABASE_URL: url } });
  if (url !== undefined) cli.write('touchstone.config.json', { store: 'env:DATABASE_URL' });
  else cli.write('touchstone.config.json', {});
  cli.write(SUITE, suite());
  cli.write('echo.mjs', "export default (input) => (input === 'two' ? 'too' : input);\n");
  const gate = join(cli.cwd, 'gate');
  cli.write('slow.mjs', slowAgent(gate));
  const runIds: string[] = [];
  const named = (text: string): string =>
    text.replace(/run-[0-9a-hjkmnp-tv-z]{26}/g, (id) => {
      if (!runIds.includes(id)) runIds.push(id);
      return `@${runIds.indexOf(id) + 1}`;
    });
  const told = async (...command: readonly string[]) => {
    const argv = command.map((word) => (/^@\d$/.test(word) ? (runIds[Number(word[1]) - 1] ?? word) : word));
    const { code, out, err } = await cli.run(...argv);
    return { code, out: comparable(named(out), cli.cwd), err: comparable(named(err), cli.cwd) };
  };
  const resumed = async () => {
    const running = cli.run('run', SUITE, ...SLOW);
    const reader = openTestCli({ cwd: cli.cwd, env: cli.io.env });
    // Another run was the last one until this one has begun.
    for (let seen = ''; !seen.includes('eval.scored') || seen.includes('run.completed'); )
      seen = (await reader.run('show', 'last', '--events')).out;
    cli.signal('SIGINT');
    const interrupted = (await running).code;
    writeFileSync(gate, '');
    return { interrupted, ...(await told('run', '--resume')) };
  };
  const viewed = async () => {
    const viewer = openTestCli({ cwd: cli.cwd, env: cli.io.env });
    const viewing = viewer.run('view', 'last');
    await Promise.race([viewer.seen('Ctrl-C ends'), viewing]);
    const [, link = ''] = /^open (\S+)$/m.exec(viewer.written.out) ?? [];
    const page = await fetch(new URL(link).origin, { headers: { accept: 'text/html' } });
    viewer.signal('SIGINT');
    return [page.status, (await viewing).code];
  };
  return { told, resumed, viewed, close: cli.close };
}

const suite = () => ({
  suiteId: 'local.test.evals.say',
  version: '1.0.0',
  modes: ['golden'],
  thresholds: { passScore: 0.5 },
  tasks: ['one', 'two', 'three'].map((word, at) => ({
    taskId: `s-${at + 1}`,
    input: word,
    expected: { kind: 'golden', match: { strategy: 'exact', value: word } },
  })),
});

/** Answers its first task at once, and the others when a file is there. */
const slowAgent = (gate: string): string => `import { existsSync } from 'node:fs';
export default async (input) => {
  while (input !== 'one' && !existsSync(${JSON.stringify(gate)})) await new Promise((resolve) => setTimeout(resolve, 5));
  return input;
};
`;

/** Without what differs from one run to the next: times, durations, sizes, hashes and keys. */
function comparable(text: string, cwd: string): string {
  return (
    text
      .replaceAll(cwd, 'FOLDER')
      .replace(/\d{4}-\d\d-\d\d([T ][\d:.]+Z?)?/g, 'TIME')
      .replace(/\b\d\d:\d\d(:\d\d(\.\d+)?)?\b/g, 'TIME')
      .replace(/(\w*(Ms|At|at|Bytes|bytes)\\?": ?)[\d.]+/g, '$1N')
      .replace(/^.*p50 .*$/gm, 'LATENCY')
      .replace(/[\d.]+ (ms|s|kB|MB|B)\b/g, 'N $1')
      .replace(/\b(\d+ (ms|s|seconds?) ago|just now|now)\b/g, 'AGO')
      // One may consist of digits alone.
      .replace(/\b[0-9a-f]{8,}\b/g, 'HASH')
      .replace(/PUBLIC KEY-----[^-]*-----END/g, 'PUBLIC KEY-----END')
      .replace(/[\w-]{40,}/g, 'KEY')
      // Only a file gives space back to the disk by itself.
      .replace(/^The store takes .*\n|,\s*"storeBytes": \{[^}]*\}/m, '')
      .replace(/ +/g, ' ')
  );
}
