import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { completeTenantLimits } from '../app/config/tenant-limits.js';
import { createLimitCounts } from '../app/limit-counts.js';
import { createManualClock } from '../app/testing/manual-clock.js';
import { createThreadShares } from '../app/thread-shares.js';
import { UNSHARED } from '../ports/index.js';
import { createRequestTurns } from './request-turns.js';

const MIB = 1024 * 1024;

function open({ ahead = false } = {}) {
  const clock = createManualClock();
  const counts = createLimitCounts();
  const shares = ahead ? createThreadShares({ clock, aheadMs: 50 }) : UNSHARED;
  const perTenant = completeTenantLimits({ openRequests: 2, requestBytes: 4 * MIB });
  const limits = {
    ...{ maxRequestBodyBytes: 16 * MIB, maxBodyValues: 1_000, maxUnreadBytes: 64 * MIB },
    ...{ requestsPerMinute: 1, perTenant },
  };
  return { clock, counts, shares, turns: createRequestTurns({ limits, shares, counts, clock }) };
}

/** The answer to one request: it closes when the test says so. */
const createAnswer = () => new EventEmitter() as unknown as ServerResponse;
const tooMany = (limit: string) => ({
  code: 'rate_limited',
  details: { limit, scope: 'tenant', retryAfter: 5 },
});

async function isWaiting(work: Promise<unknown>): Promise<boolean> {
  let isDone = false;
  work.then(
    () => (isDone = true),
    () => (isDone = true),
  );
  await nextTurn();
  return !isDone;
}

describe('the bodies of a tenant', () => {
  it('are not read while those under way have as many bytes as they may', async () => {
    const { turns, counts } = open();
    const first = createAnswer();
    await turns.holdBody('rival', 3 * MIB, first);
    const second = turns.holdBody('rival', 2 * MIB, createAnswer());
    expect(await isWaiting(second)).toBe(true);
    await turns.holdBody('acme', 3 * MIB, createAnswer());
    expect(counts.read().get('requestBytes')).toBe(1);
    first.emit('close');
    await second;
  });

  it('are refused when that takes longer than ten seconds', async () => {
    const { turns, clock } = open();
    await turns.holdBody('rival', 3 * MIB, createAnswer());
    const refusal = expect(turns.holdBody('rival', 2 * MIB, createAnswer())).rejects.toMatchObject(
      tooMany('requestBytes'),
    );
    await clock.advance(10_000);
    await refusal;
  });

  it('are read one at a time when they are larger than all that may be held', async () => {
    const { turns } = open();
    const first = createAnswer();
    await turns.holdBody('rival', 16 * MIB, first);
    const second = turns.holdBody('rival', 16 * MIB, createAnswer());
    expect(await isWaiting(second)).toBe(true);
    first.emit('close');
    await second;
  });
});

describe('the requests of a tenant', () => {
  it('are executed a few at a time, and those of others meanwhile', async () => {
    const { turns, counts } = open();
    const [leave] = [
      await turns.begin('rival', createAnswer(), 'request'),
      await turns.begin('rival', createAnswer(), 'request'),
    ];
    const third = turns.begin('rival', createAnswer(), 'request');
    expect(await isWaiting(third)).toBe(true);
    await turns.begin('acme', createAnswer(), 'request');
    expect(counts.read().get('openRequests')).toBe(1);
    // Leaving twice gives one place back.
    leave();
    leave();
    await third;
    expect(await isWaiting(turns.begin('rival', createAnswer(), 'request'))).toBe(true);
  });

  it('that only read do not wait for those that create something', async () => {
    const { turns } = open();
    for (let n = 0; n < 2; n += 1) await turns.begin('rival', createAnswer(), 'request');
    expect(await isWaiting(turns.begin('rival', createAnswer(), 'request'))).toBe(true);
    await turns.begin('rival', createAnswer(), 'read');
  });

  it('are refused when they wait for longer than ten seconds', async () => {
    const { turns, clock } = open();
    for (let n = 0; n < 2; n += 1) await turns.begin('rival', createAnswer(), 'request');
    const refusal = expect(turns.begin('rival', createAnswer(), 'request')).rejects.toMatchObject(
      tooMany('openRequests'),
    );
    await clock.advance(10_000);
    await refusal;
  });

  it('give their place back when they are refused for the time that the tenant has used', async () => {
    const { turns, shares, clock } = open({ ahead: true });
    for (let n = 0; n < 2; n += 1) {
      shares.charge('rival', 1_000_000);
      shares.charge('acme', 1);
      const waiting = turns.begin('rival', createAnswer(), 'request');
      expect(await isWaiting(waiting)).toBe(true);
      // The other tenant is at work all the time.
      for (let half = 0; half < 20; half += 1) {
        shares.charge('acme', 1);
        await clock.advance(500);
      }
      await expect(waiting).rejects.toMatchObject(tooMany('aheadMs'));
    }
    await expect(isWaiting(turns.begin('acme', createAnswer(), 'request'))).resolves.toBe(false);
  });
});

it('a body is parsed when it is the turn of its tenant, and the time of that counts', async () => {
  const { turns, shares, clock } = open({ ahead: true });
  shares.charge('acme', 1);
  const parse = () => {
    void clock.advance(100);
    return 'parsed';
  };
  const bytes = new Uint8Array(20_000);
  expect(await turns.parse('rival', bytes, createAnswer(), parse)).toBe('parsed');
  const next = turns.parse('rival', bytes, createAnswer(), parse);
  expect(await isWaiting(next)).toBe(true);
  expect(await turns.parse('acme', bytes, createAnswer(), () => 'at once')).toBe('at once');
  await clock.advance(200);
  await clock.advance(20);
  expect(await next).toBe('parsed');
});

it('a short body of a tenant that is ahead is parsed with its request', async () => {
  const { turns, shares } = open({ ahead: true });
  shares.charge('acme', 1);
  shares.charge('rival', 100);
  const parsed = turns.parse('rival', new Uint8Array(1_000), createAnswer(), () => 'parsed');
  expect(await isWaiting(parsed)).toBe(false);
});
