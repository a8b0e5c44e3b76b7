import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { manualClock } from '../agents/fixtures/manual-clock.js';
import { temporaryFolder } from '../agents/fixtures/temporary-folder.js';
import { createDeferred, type Deferred } from './concurrency.js';
import type { NameAnswer } from './dns.js';
import { createNames } from './names.js';

/** Waits for an event, however busy the machine is. */
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000 });

const ANSWER: NameAnswer = { addresses: [{ address: '192.0.2.7', family: 4 }], ttlMs: 10_000 };

/** Names whose questions the test answers, in the order they are asked. */
async function open(perTenant = 8) {
  const clock = manualClock();
  const asked: { readonly host: string; readonly answer: Deferred<NameAnswer> }[] = [];
  const onWait = vi.fn();
  const names = createNames({
    clock,
    perTenant,
    onWait,
    hostsPath: join(await temporaryFolder(), 'absent'),
    askDns(host) {
      const answer = createDeferred<NameAnswer>();
      asked.push({ host, answer });
      return answer.promise;
    },
  });
  return { clock, asked, onWait, names };
}

it('a name is asked for once by many, and remembered for as long as its servers say', async () => {
  const { clock, asked, names } = await open();
  const all = Promise.all(Array.from({ length: 200 }, () => names.of('acme')('agent.example')));
  await until(() => expect(asked).toHaveLength(1));
  asked[0]?.answer.resolve(ANSWER);
  expect(new Set(await all)).toEqual(new Set([ANSWER.addresses]));
  clock.advance(9_999);
  await names.of('acme')('agent.example');
  expect(asked).toHaveLength(1);
  clock.advance(1);
  void names.of('acme')('agent.example');
  await until(() => expect(asked).toHaveLength(2));
});

it('a failure is remembered for a second, so that the next try asks again', async () => {
  const { clock, asked, names } = await open();
  const failed = Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' });
  const first = names.of('acme')('agent.example');
  await until(() => expect(asked).toHaveLength(1));
  asked[0]?.answer.reject(failed);
  await expect(first).rejects.toBe(failed);
  await expect(names.of('acme')('agent.example')).rejects.toBe(failed);
  clock.advance(1_000);
  void names.of('acme')('agent.example');
  await until(() => expect(asked).toHaveLength(2));
});

it('the names of one tenant wait for each other, and not those of another', async () => {
  const { asked, onWait, names } = await open(2);
  for (const host of ['a.example', 'b.example', 'c.example']) void names.of('rival')(host);
  void names.of('acme')('agent.example');
  await until(() => expect(asked).toHaveLength(3));
  // Which tenant's name is asked first is not promised.
  expect(asked.map(({ host }) => host).sort()).toEqual(['a.example', 'agent.example', 'b.example']);
  expect(onWait).toHaveBeenCalledTimes(1);
  asked[0]?.answer.resolve(ANSWER);
  await until(() => expect(asked.map(({ host }) => host)).toContain('c.example'));
});

it('what one tenant has asked is not remembered for another', async () => {
  const { asked, names } = await open();
  void names.of('rival')('agent.example');
  void names.of('acme')('agent.example');
  await until(() => expect(asked).toHaveLength(2));
});

it('localhost is found while all servers are silent', async () => {
  const { names, asked } = await open(1);
  void names.of('acme')('silent.example');
  expect(await names.of('acme')('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
  expect(await names.system('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
  expect(asked.map(({ host }) => host)).not.toContain('localhost');
});

it('a request that is aborted does not wait for its name any longer', async () => {
  const { names } = await open();
  const controller = new AbortController();
  const answer = names.of('acme')('silent.example', controller.signal);
  controller.abort('enough');
  await expect(answer).rejects.toBe('enough');
});
