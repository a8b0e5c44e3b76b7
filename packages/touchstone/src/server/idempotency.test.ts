import type { Json } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, type ManualClock } from '../app/testing/manual-clock.js';
import { expectRefusal } from '../app/testing/scorecards.js';
import { createTestHost, KEYS, type TestHost } from '../app/testing/test-host.js';
import type { Touchstone } from '../app/touchstone.js';

let host: TestHost;
let clock: ManualClock;
/** What happens inside a create; tests hold it up or break it. */
let during: () => Promise<void>;

beforeEach(async () => {
  clock = createManualClock();
  during = async () => undefined;
  const wrap = (touchstone: Touchstone): Touchstone => ({
    ...touchstone,
    async createRun(...request) {
      await during();
      return touchstone.createRun(...request);
    },
  });
  host = await createTestHost({ clock, wrap });
});
afterEach(() => host.close());

const body = { workflowId: 'conformance-noop' };
const post = (key: string, given: Json = body, options: object = {}) =>
  host.request('POST', '/v1/runs', { body: given, headers: { 'idempotency-key': key }, ...options });
const runCount = async () =>
  (await host.request('GET', '/v1/host/touchstone/runs')).json<{ items: unknown[] }>().items.length;

describe('a request with an Idempotency-Key', () => {
  it('is executed once and answered twice, the second time with a mark', async () => {
    const first = await post('k');
    const second = await post('k');
    expect([second.status, second.text, second.headers.location]).toEqual([
      201,
      first.text,
      first.headers.location,
    ]);
    expect(first.headers).not.toHaveProperty('openwop-idempotent-replay');
    expect(second.headers['openwop-idempotent-replay']).toBe('true');
    expect(await runCount()).toBe(1);
  });

  it('is the same request however its body is written', async () => {
    const first = await post('k', '{"workflowId":"conformance-noop","tags":["a"]}');
    const second = await post('k', ' { "tags" : ["a"], "workflowId" : "conformance-noop" } ');
    expect(second.text).toBe(first.text);
  });

  it('is refused when it differs, without a word of the first answer', async () => {
    await post('k');
    const answer = await post('k', { ...body, tags: ['other'] });
    expectRefusal(answer, 409, 'idempotency_key_mismatch');
    expect(answer.text).not.toContain('run-');
  });

  it('is refused when it differs even if it is not valid', async () => {
    await post('k');
    expectRefusal(await post('k', { nonsense: true }), 409, 'idempotency_key_mismatch');
  });

  it('is another request for another tenant, another operation, another path', async () => {
    await post('k');
    expect((await post('k', body, { key: KEYS.rival })).json()).toMatchObject({ runId: 'run-2' });
    const headers = { 'idempotency-key': 'k' };
    expect((await host.request('POST', '/v1/runs/run-1/cancel', { headers })).status).toBe(200);
    expectRefusal(
      await host.request('POST', '/v1/runs/run-9/cancel', { headers }),
      409,
      'idempotency_key_mismatch',
    );
  });

  it('is executed by one of two concurrent callers; the other is told to come back', async () => {
    let goOn = (): void => undefined;
    const entered = new Promise<void>((resolve) => {
      during = () =>
        new Promise((release) => {
          goOn = release;
          resolve();
        });
    });
    const first = post('k');
    await entered;
    const second = await post('k');
    expect(expectRefusal(second, 409, 'idempotency_in_flight').details).toEqual({ retryAfter: 1 });
    expect(second.headers['retry-after']).toBe('1');
    goOn();
    expect((await post('k')).text).toBe((await first).text);
    expect(await runCount()).toBe(1);
  });

  it('is executed again after the host failed, and then remembered', async () => {
    during = () => Promise.reject(new Error('disk on fire'));
    expectRefusal(await post('k'), 500, 'internal_error');
    during = async () => undefined;
    const second = await post('k');
    expect(second.status).toBe(201);
    expect((await post('k')).text).toBe(second.text);
    expect(await runCount()).toBe(1);
  });

  it('can be put right under the same key when its body was at fault', async () => {
    expectRefusal(await post('k', { workflowId: '' }), 400, 'validation_error');
    expect((await post('k')).status).toBe(201);
  });

  it('is not held to a refusal that asked it to come back', async () => {
    const dedup = { 'x-dedup': 'enforce', 'idempotency-key': 'k' };
    const scoped = { ...body, scopeId: 's' };
    await host.request('POST', '/v1/runs', { body: scoped });
    expectRefusal(
      await host.request('POST', '/v1/runs', { body: scoped, headers: dedup }),
      409,
      'run_already_active',
    );
    await host.request('POST', '/v1/runs/run-1/cancel');
    expect((await host.request('POST', '/v1/runs', { body: scoped, headers: dedup })).status).toBe(201);
  });

  it('keeps a final refusal', async () => {
    const cancel = () =>
      host.request('POST', '/v1/runs/run-1/cancel', { headers: { 'idempotency-key': 'k' } });
    await post('other');
    await host.append('run-1', [], 'completed');
    const first = await cancel();
    expectRefusal(first, 409, 'run_terminal');
    const second = await cancel();
    expect([second.status, second.text]).toEqual([409, first.text]);
    expect(second.headers['openwop-idempotent-replay']).toBe('true');
  });

  it('does not keep what is said of a state that may change', async () => {
    const cancel = () =>
      host.request('POST', '/v1/runs/run-1/cancel', { headers: { 'idempotency-key': 'k' } });
    expectRefusal(await cancel(), 404, 'not_found');
    await post('other');
    expect((await cancel()).status).toBe(200);
  });

  it('does not let a key without the scope see a kept answer', async () => {
    await post('k');
    expectRefusal(await post('k', body, { key: KEYS.reader }), 403, 'forbidden');
  });

  it('is remembered for more than a day', async () => {
    const first = await post('k');
    await clock.advance(25 * 3_600_000);
    expect((await post('k')).text).toBe(first.text);
  });

  it.each([[''], ['x'.repeat(256)]])('needs a key of 1 to 255 characters', async (key) => {
    expect(expectRefusal(await post(key), 400, 'validation_error').details.field).toBe('Idempotency-Key');
  });
});

it('GET does not look at an Idempotency-Key', async () => {
  const headers = { 'idempotency-key': 'x'.repeat(300) };
  expect((await host.request('GET', '/v1/agents', { headers })).status).toBe(200);
});

it('an answer that could not be remembered is given all the same', async () => {
  const broken = await createTestHost({
    wrap: (touchstone) => {
      const { idempotency } = touchstone.store;
      const keep = () => Promise.reject(new Error('disk full'));
      return { ...touchstone, store: { ...touchstone.store, idempotency: { ...idempotency, keep } } };
    },
  });
  const answer = await broken.request('POST', '/v1/runs', { body, headers: { 'idempotency-key': 'k' } });
  expect(answer.status).toBe(201);
  expect(broken.lines.map(({ event }) => event)).toContain('idempotency.notKept');
  await broken.close();
});
