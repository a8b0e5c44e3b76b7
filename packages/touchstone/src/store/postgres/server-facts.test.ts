import { expect, it } from 'vitest';
import type { PostgresAddress } from './postgres-address.js';
import { checkServer, type ServerFacts, serverTroubles } from './server-facts.js';

const ADDRESS: PostgresAddress = {
  url: 'postgres://db/evals',
  schema: 'touchstone',
  shown: 'postgres://db/evals',
  keepsSession: true,
};
const SOUND: ServerFacts = {
  version: '15.2',
  versionNumber: 150_002,
  encoding: 'UTF8',
  fsync: 'on',
  synchronousCommit: 'on',
  skewMs: 0,
  oldestTransactionMs: 0,
  searchPath: 'touchstone',
  isPooled: false,
};

it('a sound server is used, and nothing is said about it', () => {
  expect(() => checkServer(ADDRESS, SOUND)).not.toThrow();
  expect(serverTroubles(SOUND)).toEqual([]);
});

it('an older server is refused, with the version it needs', () => {
  expect(() => checkServer(ADDRESS, { ...SOUND, version: '14.11', versionNumber: 140_011 })).toThrow(
    'Cannot open the store postgres://db/evals: the server has version 14.11, and 15 or later is needed. Upgrade the server.',
  );
});

it('a transaction that has been open for over an hour is told', () => {
  expect(serverTroubles({ ...SOUND, oldestTransactionMs: 3_700_000 })).toEqual([
    'A transaction has been open for 62 minutes, and keeps the server from clearing old rows. End it; pg_stat_activity names it.',
  ]);
});
