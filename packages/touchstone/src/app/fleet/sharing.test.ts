import { asId, type Digest, type RunId } from '@touchstone/protocol';
import { afterEach, expect, it, vi } from 'vitest';
import type { Run, WorkerRow } from '../../ports/index.js';
import { parseConfig } from '../config/config.js';
import { createManualClock } from '../testing/manual-clock.js';
import { environmentDigest } from './environment.js';
import { createFleetMember } from './sharing.js';

const [OURS, THEIRS] = [asId<Digest>('sha256:ours'), asId<Digest>('sha256:theirs')];
afterEach(() => void vi.useRealTimers());

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

function member(alive: readonly Digest[]) {
  const clock = createManualClock();
  const list = async (): Promise<readonly WorkerRow[]> =>
    alive.map((environment) => ({ environment, version: '1', atWork: 0, name: 'm:1', beatAt: 0 }));
  const workers = {
    list,
    beat: async () => undefined,
    presence: () => 1,
    leave: async () => undefined,
    sweep: async () => undefined,
    waitingRuns: async () => 0,
  };
  return {
    clock,
    workers,
    ...createFleetMember({
      workers,
      clock,
      log: QUIET,
      environment: OURS,
      activeRuns: 32,
      elapsed: Date.now,
    }),
  };
}

const runOf = (environment?: Digest): Run =>
  ({
    runId: asId<RunId>('r'),
    plan: { kind: 'eval', ...(environment && { environment }) },
  }) as unknown as Run;

it.each([
  ['of the own environment', OURS, [THEIRS], true],
  ['of no known environment', undefined, [THEIRS], true],
  ['of an environment that another process has', THEIRS, [OURS, THEIRS], false],
  ['of an environment that no process has', THEIRS, [OURS], true],
] as const)('a run %s is tried: %s among %s gives %s', async (_name, wanted, alive, suits) => {
  expect(await member(alive).suits(runOf(wanted))).toBe(suits);
});

it.each([
  ['those of its environment', OURS, [OURS, THEIRS, OURS], 2],
  ['all, when it has none', undefined, [OURS, THEIRS], 2],
  ['all, when its environment is gone', THEIRS, [OURS, OURS], 2],
] as const)('processes that could execute a run are %s', async (_name, wanted, alive, count) => {
  expect(await member(alive).processes(runOf(wanted))).toBe(count);
});

it('a run that could not be opened is left alone for a while, waits for ten minutes, and then fails', async () => {
  const { clock, suits, waits } = member([OURS, OURS]);
  expect(await waits(runOf(OURS))).toBe(true);
  expect(await suits(runOf(OURS))).toBe(false);
  await clock.advance(30_000);
  expect(await suits(runOf(OURS))).toBe(true);
  await clock.advance(300_000);
  expect(await waits(runOf(OURS))).toBe(true);
  await clock.advance(300_000);
  expect(await waits(runOf(OURS))).toBe(false);
});

it('a run that was planned here and cannot be opened here fails at once where nobody else works', async () => {
  const { waits } = member([OURS]);
  expect(await waits(runOf(OURS))).toBe(false);
  expect(await waits(runOf(THEIRS))).toBe(true);
});

it('it waits on while a process of its environment is there, and only has no time', async () => {
  const { clock, waits } = member([OURS, THEIRS]);
  for (let minutes = 0; minutes <= 20; minutes += 5) {
    expect(await waits(runOf(THEIRS))).toBe(true);
    await clock.advance(300_000);
  }
});

it('the environment changes with an agent, a model, a price or a tool, and with no key or folder', () => {
  const digestOf = (config: object, agents: readonly string[] = ['a']) =>
    environmentDigest(
      parseConfig(config, '/'),
      agents.map((digest) => ({ agentId: 'x', version: '1', digest }) as never),
      undefined,
    );
  const plain = digestOf({});
  const provider = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' };
  expect(
    digestOf({ keys: [{ key: 'secret-key-0123456789', tenant: 'a', roles: ['admin'] }], suites: ['.'] }),
  ).toBe(plain);
  const others = [
    digestOf({}, ['b']),
    digestOf({ providers: { p: provider } }),
    digestOf({ prices: { 'p/m': { inputPerMTok: 1, outputPerMTok: 2 } } }),
    digestOf({ tools: [{ toolId: 'local:t', kind: 'http', url: 'http://127.0.0.1:1/' }] }),
  ];
  expect(new Set([plain, ...others]).size).toBe(5);
});

it('a process that the others could have counted as lost looks what it may do as soon as they hear of it again', async () => {
  vi.useFakeTimers();
  const { join, workers } = member([OURS]);
  const onSeenAgain = vi.fn();
  const leave = join(() => ({ version: '1', atWork: 0 }), onSeenAgain);
  await vi.advanceTimersByTimeAsync(100);
  workers.beat = () => Promise.reject(new Error('The database is away.'));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(onSeenAgain).not.toHaveBeenCalled();
  workers.beat = async () => undefined;
  await vi.advanceTimersByTimeAsync(250);
  expect(onSeenAgain).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(onSeenAgain).toHaveBeenCalledTimes(1);
  await leave();
});
