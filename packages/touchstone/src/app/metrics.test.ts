import { asId, HostError, type RunId, type RunStatus } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import type { Run, StepResult } from '../ports/index.js';
import { followRun, readStoredWork } from './metrics.js';
import { createManualClock } from './testing/manual-clock.js';
import { createTestHost, KEYS } from './testing/test-host.js';

it('a scrape counts requests by template and runs by status, and names nobody', async () => {
  const host = await createTestHost();
  const scrape = async () =>
    (await host.request('GET', '/v1/host/touchstone/metrics', { key: KEYS.operator })).text;
  const { runId } = (await host.request('POST', '/v1/runs', { body: { workflowId: 'w' } })).json<{
    runId: string;
  }>();
  await host.request('GET', `/v1/runs/${runId}`);
  await host.request('GET', '/v1/runs/run-404');
  const text = await scrape();
  for (const line of [
    'touchstone_http_requests_total{method="POST",route="/v1/runs",status="201"} 1',
    'touchstone_http_requests_total{method="GET",route="/v1/runs/{runId}",status="200"} 1',
    'touchstone_http_requests_total{method="GET",route="/v1/runs/{runId}",status="404"} 1',
    'touchstone_http_request_duration_seconds_count{method="POST",route="/v1/runs"} 1',
    'touchstone_runs_total{status="started"} 1',
  ]) {
    expect(text).toContain(line);
  }
  for (const name of [runId, 'acme', 'run-404']) expect(text).not.toContain(name);
  await host.close();
});

describe('a scrape of a host whose store cannot be read', () => {
  const scrape = async (error: Error) => {
    const host = await createTestHost({
      wrap: (touchstone) => {
        const { store } = touchstone;
        const workers = { ...store.workers, waitingRuns: () => Promise.reject(error) };
        return { ...touchstone, store: { ...store, workers } };
      },
    });
    const answer = await host.request('GET', '/v1/host/touchstone/metrics', { key: KEYS.operator });
    await host.close();
    return answer;
  };

  it('tells what the process knows while the store is away', async () => {
    const { status, text } = await scrape(new HostError('unavailable', 'Away.', { reason: 'unreachable' }));
    expect(status).toBe(200);
    expect(text).toContain('touchstone_runs_at_work 0');
    expect(text).toContain('# HELP touchstone_http_requests_total');
    expect(text).not.toMatch(/^touchstone_(runs_waiting|workers|assignments_waiting|units_left) /m);
  });

  it('does not wait long for a store that does not answer', async () => {
    const clock = createManualClock();
    const host = await createTestHost();
    const { store } = host;
    const workers = { ...store.workers, list: () => new Promise<never>(() => undefined) };
    const read = readStoredWork({ ...store, workers }, clock);
    await clock.advance(5_000);
    expect(await read).toBeUndefined();
    await host.close();
  });

  it('hides no other trouble', async () => {
    expect((await scrape(new TypeError('a bug'))).status).toBe(500);
  });
});

describe('following a run', () => {
  /** A run whose log and status the test moves along, and the counts made of it. */
  function setUp(status: RunStatus, results: boolean[]) {
    const clock = createManualClock();
    const state = { status, results };
    const listeners = new Set<() => void>();
    const counts: string[] = [];
    const store = {
      runs: {
        head: async () => ({ status: state.status, eventCount: 0 }),
        get: async () =>
          ({ status: state.status, startedAt: 1_000, completedAt: 4_000, pausedMs: 1_000 }) as Run,
      },
      log: {
        results: async (_owner: unknown, _runId: unknown, offset: number, limit: number) =>
          state.results.slice(offset, offset + limit).map((passed) => ({ result: { passed } }) as StepResult),
        watch(_: RunId, listener: () => void) {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
      },
    };
    const metrics = {
      runStarted: () => void counts.push('started'),
      runEnded: (ended: RunStatus, seconds: number | undefined) =>
        void counts.push(`${ended} after ${seconds} s`),
      taskScored: (passed: boolean) => void counts.push(passed ? 'passed' : 'missed'),
    };
    const closing = new AbortController();
    followRun(
      metrics,
      { store, clock, closing: closing.signal },
      { tenant: 'a', workspace: 'b' },
      asId<RunId>('run-1'),
    );
    const commit = () => {
      for (const listener of [...listeners]) listener();
    };
    return { clock, state, counts, listeners, commit, closing };
  }

  it('counts each task once, however often it commits, and the end', async () => {
    const { clock, state, counts, listeners, commit } = setUp('running', [true]);
    for (let second = 0; second < 3; second += 1) {
      state.results.push(false, true);
      for (let n = 0; n < 50; n += 1) commit();
      await clock.advance(1_000);
    }
    state.status = 'completed';
    commit();
    await clock.advance(1_000);
    expect(counts.filter((count) => count === 'passed')).toHaveLength(4);
    expect(counts.filter((count) => count === 'missed')).toHaveLength(3);
    expect(counts.at(-1)).toBe('completed after 2 s');
    expect(listeners.size).toBe(0);
  });

  it('misses nothing of a run that was over before anyone listened', async () => {
    const { clock, counts, listeners } = setUp('failed', [true, false]);
    await clock.advance(0);
    expect(counts).toEqual(['started', 'passed', 'missed', 'failed after 2 s']);
    expect(listeners.size).toBe(0);
  });

  it('counts an end once, even when a commit is still being waited for', async () => {
    const { clock, state, counts, commit } = setUp('running', []);
    state.status = 'cancelled';
    commit();
    await clock.advance(1_000);
    await clock.advance(1_000);
    expect(counts.filter((count) => count.startsWith('cancelled'))).toHaveLength(1);
  });

  it('stops with the host', async () => {
    const { clock, listeners, commit, closing } = setUp('running', []);
    commit();
    closing.abort();
    await clock.advance(0);
    expect(listeners.size).toBe(0);
  });
});
