// Goal: waiting for the name of an agent is not the agent's time, and a name that does not resolve is not its failure. On
// every kind that is reached by a URL.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDeferred, type Deferred } from '../../net/concurrency.js';
import { createGuard } from '../../net/guard.js';
import { manualClock } from '../fixtures/manual-clock.js';
import { ACME, modelsFor, pinOf } from '../fixtures/model-parts.js';
import { openForTest } from '../fixtures/open-for-test.js';
import { invocationOf, recordingHost } from '../fixtures/recording-host.js';

/** Waits for an event, however busy the machine is. */
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000 });

const ORIGIN = 'http://agent.example:9';
const TIMEOUT_MS = 5_000;
const kinds: { readonly [kind: string]: object } = {
  http: { url: `${ORIGIN}/` },
  openwop: { baseUrl: ORIGIN, agentId: 'local.acme.remote' },
  openai: { baseUrl: `${ORIGIN}/v1`, model: 'small-1' },
};

describe.each(Object.entries(kinds))('an agent of kind %s', (kind, run) => {
  it('whose name is not resolved is unreachable, however long that takes, and is not out of time', async () => {
    const clock = manualClock();
    const lookups: Deferred<never>[] = [];
    const resolve = () => {
      const lookup = createDeferred<never>();
      lookups.push(lookup);
      return lookup.promise;
    };
    const retries = { maxTries: 2, withinMs: 20_000 };
    const agent = await openForTest({ kind, ...run, timeoutMs: TIMEOUT_MS }, clock, {
      fetchGuard: createGuard({ allowPrivate: true, resolve }),
      limits: { retries },
      use: { owner: ACME, models: modelsFor({}, clock, { retries }), pin: pinOf('agent.example:9') },
    });
    onTestFinished(() => agent.close());
    const answer = agent.invoke(invocationOf('hi'), recordingHost());
    for (const tries of [1, 2]) {
      await until(() => expect(lookups).toHaveLength(tries));
      clock.advance(TIMEOUT_MS * 3);
      lookups[tries - 1]?.reject(Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' }));
      if (tries === 1) clock.advance(await clock.asleep((ms) => ms < 1_000));
    }
    expect(await answer).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('EAI_AGAIN'),
      effort: { attempts: 2, waitedMs: expect.closeTo(TIMEOUT_MS * 6, -3) },
    });
  });
});
