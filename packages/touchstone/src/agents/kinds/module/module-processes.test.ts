import { Readable } from 'node:stream';
import { beforeEach, expect, it } from 'vitest';
import { type ManualClock, manualClock } from '../../fixtures/manual-clock.js';
import type { ModuleProcess } from './module-process.js';
import { createModuleProcesses, type ModuleProcesses } from './module-processes.js';

type FakeProcess = ModuleProcess & { readonly memoryMb: number; alive: boolean; posted: string[] };

let clock: ManualClock;
let launched: FakeProcess[];
let processes: ModuleProcesses;
beforeEach(() => {
  clock = manualClock();
  launched = [];
  processes = createModuleProcesses(clock, launch);
});

function launch(memoryMb: number): FakeProcess {
  const fake: FakeProcess = {
    memoryMb,
    alive: true,
    posted: [],
    stdout: Readable.from([]),
    stderr: Readable.from([]),
    post: (text) => void fake.posted.push(text),
    listen: () => undefined,
    running: () => 0,
    isAlive: () => fake.alive,
    async terminate() {
      fake.alive = false;
    },
  };
  launched.push(fake);
  return fake;
}

/** What waits for the clock is done in the turn after it has moved. */
async function passTime(ms: number): Promise<void> {
  clock.advance(ms);
  await new Promise((resolve) => setImmediate(resolve));
}

const isAlive = () => launched.map(({ alive }) => alive);

it('nothing is started before an agent needs it, unless it is to be kept ready', () => {
  expect(launched).toEqual([]);
  processes.start(64).post('one');
  expect(launched).toMatchObject([{ memoryMb: 64, posted: ['one'] }]);
});

it('what is ready goes to one agent, and the next one gets its own', () => {
  processes.keepReady(64);
  processes.keepReady(64);
  expect(launched).toHaveLength(1);
  processes.start(64).post('one');
  processes.start(64).post('two');
  expect(launched).toMatchObject([{ posted: ['one'] }, { posted: ['two'] }]);
});

it('an agent that may use another amount of memory does not get it', () => {
  processes.keepReady(64);
  processes.start(128).post('one');
  expect(launched).toMatchObject([{ posted: [] }, { memoryMb: 128, posted: ['one'] }]);
});

it('one that has ended by itself is not used', () => {
  processes.keepReady(64);
  (launched[0] as FakeProcess).alive = false;
  processes.start(64).post('one');
  expect(launched).toMatchObject([{ posted: [] }, { posted: ['one'] }]);
});

it('some time after an agent has ended the next one is made ready, and no more than one', async () => {
  processes.keepReady(64);
  const agents = [processes.start(64), processes.start(64)];
  await Promise.all(agents.map((agent) => agent.terminate()));
  await passTime(0);
  expect(isAlive()).toEqual([false, false]);
  await passTime(1_000);
  expect(isAlive()).toEqual([false, false, true]);
});

it('nothing is left when it is closed, and nothing comes later', async () => {
  processes.keepReady(64);
  const agent = processes.start(64);
  await agent.terminate();
  await passTime(0);
  await passTime(1_000);
  expect(isAlive()).toEqual([false, true]);
  await processes.close();
  await passTime(10_000);
  expect(isAlive()).toEqual([false, false]);
});
