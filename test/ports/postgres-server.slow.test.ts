import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPostgresStore } from '../../packages/touchstone/src/store/index.js';
import { hasPostgres, queryPostgres, type Server, schemaUrl, startServer } from '../setup/postgres.js';
import { createRun, refusalOf, testClock } from './store/givens.js';

const realNow = Date.now.bind(Date);

// Goal: a server on which runs could be lost, or that cannot be used, is told in words that say what to do. Method: a real server
// that is wrong in one way.
describe.skipIf(!hasPostgres())('a PostgreSQL server', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server?.stop());
  const open = (url = schemaUrl(server.url)) => openPostgresStore({ url, clock: testClock() });
  const troubles = async (): Promise<readonly string[]> => {
    const store = await open();
    const found = await store.check();
    await store.close();
    return found;
  };

  it('without fsync or synchronous_commit can lose what is stored, and doctor says so', async () => {
    expect(await troubles()).toEqual([expect.stringContaining('fsync=off: a crash can lose or damage')]);
    await queryPostgres(server.url, 'ALTER DATABASE postgres SET synchronous_commit = off');
    expect(await troubles()).toContainEqual(
      expect.stringContaining('synchronous_commit=off: a crash can lose'),
    );
    await queryPostgres(server.url, 'ALTER DATABASE postgres RESET synchronous_commit');
  });

  it('that takes no writes is told so, before a write is tried and after, and is used again when it does', async () => {
    const store = await open();
    await queryPostgres(server.url, 'ALTER SYSTEM SET default_transaction_read_only = on');
    await queryPostgres(server.url, 'SELECT pg_reload_conf()');
    const words = {
      code: 'unavailable',
      details: { reason: 'read_only' },
      message: expect.stringContaining('takes no writes'),
    };
    await expect.poll(() => refusalOf(store.ping())).toMatchObject(words);
    expect(await refusalOf(store.check())).toMatchObject(words);
    expect(await refusalOf(createRun(store, 'r1'))).toMatchObject(words);
    await queryPostgres(server.url, 'ALTER SYSTEM RESET default_transaction_read_only');
    await queryPostgres(server.url, 'SELECT pg_reload_conf()');
    await expect.poll(() => store.ping().then(() => 'ready', String)).toBe('ready');
    await createRun(store, 'r1');
    await store.close();
  });

  it('is asked for the options of the address, and for ours', async () => {
    const store = await open(`${schemaUrl(server.url)}&options=-c%20statement_timeout%3D4321`);
    expect(await store.ping()).toBeUndefined();
    await createRun(store, 'r1');
    await store.close();
  });

  it('without TLS is told so, where the address asks for it', async () => {
    expect(await refusalOf(open(`${schemaUrl(server.url)}&sslmode=verify-full`))).toMatchObject({
      details: { reason: 'tls' },
      message: expect.stringContaining('Look at sslmode and sslrootcert'),
    });
  });

  it('whose user may only read is told so before a write is tried', async () => {
    const url = schemaUrl(server.url);
    await (await open(url)).close();
    const schema = new URL(url).searchParams.get('schema');
    await queryPostgres(server.url, 'CREATE ROLE reader LOGIN');
    await queryPostgres(server.url, `GRANT USAGE ON SCHEMA ${schema} TO reader`);
    await queryPostgres(server.url, `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO reader`);
    const store = await open(url.replace(/touchstone(:[^@]*)?@/, 'reader@'));
    for (const refused of [store.ping(), store.check()])
      expect(await refusalOf(refused)).toMatchObject({ code: 'unavailable', details: { reason: 'rights' } });
    await store.close();
  });

  it('with a database of another encoding is refused', async () => {
    await queryPostgres(
      server.url,
      "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
    );
    expect(await refusalOf(open(schemaUrl(server.url.replace(/postgres$/, 'latin'))))).toMatchObject({
      details: { reason: 'encoding' },
      message: expect.stringMatching(/has the encoding LATIN1, and UTF8 is needed\. Create it with: /),
    });
  });

  it('without the database, or the user, is refused', async () => {
    expect(await refusalOf(open(schemaUrl(server.url.replace(/postgres$/, 'nothing'))))).toMatchObject({
      details: { reason: 'unreachable' },
      message: expect.stringContaining('no such database. Create it, or correct the address.'),
    });
    expect(await refusalOf(open(schemaUrl(server.url.replace('touchstone:', 'nobody:'))))).toMatchObject({
      details: { reason: 'refused' },
      message: expect.stringContaining('refused user name or password.'),
    });
  });

  it.each([61_000, -61_000])('whose clock is off by %i ms is refused', async (skewMs) => {
    const now = vi.spyOn(Date, 'now').mockImplementation(() => realNow() - skewMs);
    try {
      expect(await refusalOf(open())).toMatchObject({
        details: { reason: 'clock' },
        message: expect.stringMatching(
          /differ by 6[012] s, and at most 60 s can be made up for\. Set the clocks right\./,
        ),
      });
    } finally {
      now.mockRestore();
    }
  });

  it('whose clock is off by a little is used by its own time, and doctor says so', async () => {
    const now = vi.spyOn(Date, 'now').mockImplementation(() => realNow() - 30_000);
    try {
      const heard: number[] = [];
      const url = schemaUrl(server.url);
      const store = await openPostgresStore({ url, clock: testClock(), onSkew: (ms) => heard.push(ms) });
      expect(Math.round((heard[0] ?? 0) / 10_000)).toBe(3);
      expect(await store.check()).toContainEqual(
        expect.stringMatching(/The clocks .* differ by (29|30|31)\.\d s/),
      );
      await store.close();
    } finally {
      now.mockRestore();
    }
  });
});
