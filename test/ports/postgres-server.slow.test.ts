import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPostgresStore } from '../../packages/touchstone/src/store/index.js';
import { hasPostgres, queryPostgres, type Server, schemaUrl, startServer } from '../setup/postgres.js';
import { refusalOf, testClock } from './store/givens.js';

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
