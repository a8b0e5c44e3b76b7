import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPgbouncer, startPgbouncer } from '../setup/pgbouncer.js';
import { hasPostgres, queryPostgres, type Server, startServer } from '../setup/postgres.js';
import { POLL, setStore } from './database-host.js';
import { workerOf } from './fleet-processes.js';
import {
  KEY,
  kill,
  type Running,
  runCli,
  serve,
  startCli,
  temporaryFolder,
  writeProject,
} from './processes.js';

// Goal: who starts a program on a database that is not as it should be reads what is wrong and what to do. Method: the real programs
// and a real server that is wrong in one way. What the store itself answers is held by test/ports.
describe.skipIf(!hasPostgres())('on a bad day', () => {
  let server: Server;
  let folder: ReturnType<typeof temporaryFolder>;
  let running: Running[] = [];
  beforeAll(async () => {
    server = await startServer({ durable: true });
  });
  afterAll(() => server?.stop());
  beforeEach(() => {
    folder = temporaryFolder();
    writeProject(folder.path, 3);
    setStore(folder.path, 'env:DATABASE_URL');
  });
  afterEach(async () => {
    await Promise.all(running.map((one) => kill(one)));
    running = [];
    folder.remove();
  });

  let schemas = 0;
  const newUrl = (address = server.url): string => {
    schemas += 1;
    return `${address}?schema=day${schemas}`;
  };
  const run = (args: readonly string[], url: string, env: NodeJS.ProcessEnv = {}) =>
    runCli(args, folder.path, { DATABASE_URL: url, ...env });
  const started = async <T extends Running>(one: Promise<T>): Promise<T> => {
    running.push(await one);
    return one;
  };
  const host = (url: string, env: NodeJS.ProcessEnv = {}) =>
    started(serve([], folder.path, { DATABASE_URL: url, ...env }));
  const worker = (url: string) =>
    started(
      workerOf(startCli(['worker', '--data', 'w', '--health', '0'], folder.path, { DATABASE_URL: url })),
    );
  const storeLine = (out: string): string => out.split('\n').find((line) => / store +/.test(line)) ?? '';
  /** What it writes to its log, for as long as it runs. */
  const logOf = ({ child }: Running) => {
    let text = '';
    child.stderr?.on('data', (more: string) => {
      text += more;
    });
    return () => text;
  };

  /** Programs that do not start say so on one line, and doctor says the same. */
  const expectRefused = async (url: string, words: string, env: NodeJS.ProcessEnv = {}): Promise<void> => {
    for (const args of [['serve', '--port', '0'], ['worker'], ['runs']]) {
      const { code, stdout, stderr } = await run(args, url, env);
      expect({ args, code, stdout }).toEqual({ args, code: 3, stdout: '' });
      expect(stderr).toMatch(/^error unavailable: Cannot open the store postgres:\/\/[^\n]+\n$/);
      expect(stderr).toContain(words);
    }
    const doctor = await run(['doctor'], url, env);
    expect(doctor.code).toBe(1);
    expect(storeLine(doctor.stdout)).toContain('✗');
    expect(storeLine(doctor.stdout)).toContain(words);
  };

  it('with a schema of a newer release nothing starts, and who runs is not ready and says why', async () => {
    const url = newUrl();
    await run(['store', 'prepare'], url);
    const alive = await worker(url);
    const log = logOf(alive);
    await queryPostgres(url, 'UPDATE schema_version SET version = 999, reads_from = 999');
    const words = 'it has schema version 999, which this program may not use';
    await expect.poll(async () => (await fetch(`${alive.health}/readyz`)).status, POLL).toBe(503);
    await expect.poll(log, POLL).toContain(words);
    expect(log()).toContain('"store.unready"');
    await expectRefused(url, `${words}; it knows versions up to`);
  });

  it('with a database of another encoding nothing starts', async () => {
    await queryPostgres(
      server.url,
      "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
    );
    const latin = newUrl(server.url.replace(/postgres$/, 'latin'));
    await expectRefused(latin, 'the database has the encoding LATIN1, and UTF8 is needed. Create it with: ');
  });

  it('with a clock that is far off nothing starts; with one that is off by a little the log and doctor tell', async () => {
    const url = newUrl();
    const preload = join(folder.path, 'skew.cjs');
    writeFileSync(preload, 'const now = Date.now; Date.now = () => now() + Number(process.env.SKEW_MS);');
    const skewed = (ms: number) => ({ NODE_OPTIONS: `--require ${preload}`, SKEW_MS: String(ms) });
    await expectRefused(url, 'and at most 60 s can be made up for. Set the clocks right.', skewed(-90_000));
    const { stderr } = await kill(await host(url, skewed(5_000)), 'SIGTERM');
    const doctor = await run(['doctor'], url, skewed(5_000));
    expect(storeLine(doctor.stdout)).toContain('The clocks of this machine and of the server differ by');
    expect(stderr).toContain('"store.clock-differs"');
  });

  it('with fsync=off programs start, and the log and doctor tell', async () => {
    const unsafe = await startServer();
    try {
      const url = newUrl(unsafe.url);
      await run(['store', 'prepare'], url);
      for (const one of [await host(url), await worker(url)]) {
        const { stderr } = await kill(one, 'SIGTERM');
        expect(stderr).toContain('"setting":"fsync","event":"store.unsafe"');
      }
      const doctor = await run(['doctor'], url);
      expect(doctor.code).toBe(1);
      expect(storeLine(doctor.stdout)).toContain(
        'is not as it should be: The server has fsync=off: a crash can lose or damage what is stored. Set fsync=on.',
      );
    } finally {
      await unsafe.stop();
    }
  });

  it.skipIf(!hasPgbouncer())(
    'behind a pooler that keeps no sessions nothing starts without prepare=false',
    async () => {
      const pooler = await startPgbouncer(server.url);
      try {
        const url = newUrl(pooler.url);
        await expectRefused(url, 'a pooler before the server does not keep sessions. Add ?prepare=false');
        const { stderr } = await kill(await host(`${url}&prepare=false`), 'SIGTERM');
        const doctor = await run(['doctor'], `${url}&prepare=false`);
        expect(doctor.code).toBe(0);
        expect(storeLine(doctor.stdout)).toContain('A pooler stands before the server.');
        expect(stderr).toContain('"store.pooled"');
      } finally {
        await Promise.all(running.map((one) => kill(one)));
        await pooler.stop();
      }
    },
  );

  it('with the database away requests are refused for a moment, and callers do not learn where it is', async () => {
    const url = newUrl();
    const { url: base } = await host(url);
    server.crash();
    try {
      const headers = { authorization: `Bearer ${KEY}` };
      const answer = await fetch(`${base}/v1/host/touchstone/runs`, { headers });
      const { error, message } = (await answer.json()) as { error: string; message: string };
      expect([answer.status, answer.headers.get('retry-after'), error]).toEqual([503, '1', 'unavailable']);
      expect(message).toBe(
        'The store cannot be used: the connection failed. Check that the server runs and can be reached.',
      );
      await expectRefused(url, 'the connection failed. Check that the server runs and can be reached.');
    } finally {
      server.start();
    }
  });

  it('a worker that lacks the agent of a run says what differs, and leaves the run to others', async () => {
    const url = newUrl();
    const door = await started(serve(['--no-work'], folder.path, { DATABASE_URL: url }));
    const other = temporaryFolder();
    try {
      writeProject(other.path, 3);
      setStore(other.path, 'env:DATABASE_URL');
      writeFileSync(join(other.path, 'agent.mjs'), 'export default () => 1;');
      const lacking = startCli(['worker', '--data', 'w'], other.path, { DATABASE_URL: url });
      running.push(lacking);
      const log = logOf(lacking);
      const created = await fetch(`${door.url}/v1/runs`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          mode: 'eval',
          evalSuiteRef: 'local.test.evals.numbers',
          agentId: 'local.test.numbers',
        }),
      });
      const { runId } = (await created.json()) as { runId: string };
      await expect.poll(log, POLL).toContain('"run.unopened"');
      const line =
        log()
          .split('\n')
          .find((one) => one.includes('run.unopened')) ?? '{}';
      expect(JSON.parse(line)).toMatchObject({
        runId,
        message: expect.stringContaining('local.test.numbers'),
      });
    } finally {
      await Promise.all(running.map((one) => kill(one)));
      other.remove();
    }
  });
});
