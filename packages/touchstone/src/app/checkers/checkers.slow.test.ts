// Goal: no tenant's checks hold up the host or another tenant's. Method: threads that answer when the test says so, and a clock
// that moves by hand; the last tests use real threads.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, getPriority } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { createDeferred, type Deferred } from '../../net/index.js';
import {
  type Checker,
  CheckOverLimit,
  type CheckWork,
  type ThreadShares,
  UNSHARED,
} from '../../ports/index.js';
import { systemClock } from '../system.js';
import { lettersAandB } from '../testing/letters.js';
import { createManualClock } from '../testing/manual-clock.js';
import { type CheckerThread, startCheckerThread, type ThreadOptions } from './checker-thread.js';
import { type Checkers, createCheckers } from './checkers.js';
import { threadLimits } from './thread-pool.js';

const ACME = { tenant: 'acme', workspace: 'main' };
const RIVAL = { tenant: 'rival', workspace: 'main' };

const ECHO: CheckWork<string, string> = { name: 'echo', run: (input) => `at once: ${input}` };
const DEAR = Number.POSITIVE_INFINITY;

/** A thread that does what it is told, and then nothing until the test lets it. */
type TestThread = CheckerThread & {
  readonly options: ThreadOptions;
  readonly jobs: { readonly input: unknown; readonly answer: Deferred<unknown> }[];
};

function openCheckers({
  total = 2,
  perTenant = 1,
  seconds = 10,
  shares = UNSHARED,
  whenIdle = false,
  idleMs = (): number | undefined => undefined,
} = {}) {
  const clock = createManualClock();
  const started: TestThread[] = [];
  const counts = { waits: 0, stops: 0 };
  const checkers = createCheckers({
    clock,
    limits: { total, perTenant, seconds, whenIdle },
    shares,
    start(options) {
      const thread = createTestThread(options, () => (options.whenIdle ? idleMs() : undefined));
      started.push(thread);
      return thread;
    },
    onWait() {
      counts.waits += 1;
    },
    onOverLimit() {
      counts.stops += 1;
    },
  });
  const jobs = () => started.flatMap((thread) => thread.jobs);
  const inputs = () => jobs().map((job) => job.input);
  const finish = async (input: string): Promise<void> => {
    jobs()
      .find((job) => job.input === input)
      ?.answer.resolve(`in a thread: ${input}`);
    await settled();
  };
  return { checkers, clock, started, counts, inputs, finish };
}

function createTestThread(options: ThreadOptions, idleMs: CheckerThread['idleMs']): TestThread {
  const ended = createDeferred<void>();
  const jobs: TestThread['jobs'] = [];
  let reason: Error | undefined;
  return {
    options,
    jobs,
    idleMs,
    ready: Promise.resolve(),
    run(_, input) {
      const answer = createDeferred<unknown>();
      jobs.push({ input, answer });
      return answer.promise;
    },
    stop(why) {
      reason = why;
      jobs.at(-1)?.answer.reject(why);
      ended.resolve();
    },
    isAlive: () => reason === undefined,
    ended: ended.promise,
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const ask = (check: Checker, input: string, signal?: AbortSignal): Promise<string> =>
  Promise.resolve(check(ECHO, input, DEAR, signal));

describe('a check', () => {
  it('that is cheap is made at once, and starts no thread', () => {
    const { checkers, started } = openCheckers();
    expect(checkers.forRun(ACME)(ECHO, 'a', 5_000)).toBe('at once: a');
    expect(started).toEqual([]);
  });

  it('that may be dear is made in a thread', async () => {
    const { checkers, finish } = openCheckers();
    const answer = ask(checkers.forRun(ACME), 'a');
    await settled();
    await finish('a');
    expect(await answer).toBe('in a thread: a');
  });

  it('is handed to a thread when its tenant may use the one that serves everybody', async () => {
    const turn = createDeferred<void>();
    const enter: ThreadShares['enter'] = (tenant) => (tenant === 'rival' ? turn.promise : undefined);
    const { checkers, inputs } = openCheckers({ total: 4, shares: { ...UNSHARED, enter } });
    const answers = [ask(checkers.forRun(RIVAL), 'rival'), ask(checkers.forRun(ACME), 'acme')];
    await settled();
    expect(inputs()).toEqual(['acme']);
    turn.resolve();
    await settled();
    expect(inputs()).toEqual(['rival', 'acme']);
    await checkers.close();
    await Promise.allSettled(answers);
  });

  it('goes to a thread when others have taken the time of this turn, and not in the next one', async () => {
    const { checkers, clock, finish } = openCheckers();
    const slow: CheckWork<string, string> = {
      ...ECHO,
      run(input) {
        void clock.advance(10);
        return input;
      },
    };
    const check = checkers.forRun(ACME);
    expect(check(slow, 'first', 5_000)).toBe('first');
    expect(check(slow, 'and more', 5_000)).toBe('and more');
    const second = check(ECHO, 'second', 5_000);
    expect(second).toBeInstanceOf(Promise);
    await settled();
    await finish('second');
    expect(await second).toBe('in a thread: second');
    expect(check(ECHO, 'third', 5_000)).toBe('at once: third');
  });

  it('that takes too long is stopped, and the next one gets a fresh thread', async () => {
    const { checkers, clock, started, counts, finish } = openCheckers({ seconds: 10 });
    const answer = ask(checkers.forRun(ACME), 'slow');
    const next = ask(checkers.forRun(ACME), 'next');
    const refused = expect(answer).rejects.toThrow(CheckOverLimit);
    await settled();
    await clock.advance(9_999);
    expect(started).toHaveLength(1);
    await clock.advance(1);
    await refused;
    await settled();
    expect(started).toHaveLength(2);
    await finish('next');
    expect(await next).toBe('in a thread: next');
    expect(counts).toEqual({ waits: 1, stops: 1 });
  });

  it('of a run that is cancelled is given up at once, and keeps its thread until it is done', async () => {
    const { checkers, inputs, finish } = openCheckers();
    const cancel = new AbortController();
    const check = checkers.forRun(RIVAL);
    const working = ask(check, 'working', cancel.signal);
    const waiting = ask(check, 'waiting', cancel.signal);
    const refused = Promise.all([
      expect(working).rejects.toThrow('cancelled'),
      expect(waiting).rejects.toThrow('cancelled'),
    ]);
    await settled();
    cancel.abort(new Error('cancelled'));
    await refused;
    ask(check, 'later').catch(() => undefined);
    await settled();
    expect(inputs()).toEqual(['working']);
    await finish('working');
    expect(inputs()).toEqual(['working', 'later']);
  });
});

describe('a thread that is executed only while nothing else wants a processor', () => {
  it('is stopped when it hardly gets one, and its check is made again in one that takes part of it', async () => {
    let usedMs = 0;
    const { checkers, clock, started, counts, finish } = openCheckers({
      whenIdle: true,
      idleMs: () => usedMs,
    });
    const answer = ask(checkers.forRun(ACME), 'a');
    await settled();
    usedMs = 50;
    await clock.advance(1_000);
    expect(started.map(({ options }) => options.whenIdle)).toEqual([true]);
    usedMs = 99;
    await clock.advance(1_000);
    await settled();
    expect(started.map(({ options }) => options.whenIdle)).toEqual([true, false]);
    expect(started[0]?.isAlive()).toBe(false);
    started[1]?.jobs[0]?.answer.resolve('at last');
    expect(await answer).toBe('at last');
    expect(counts.stops).toBe(0);
    void ask(checkers.forRun(RIVAL), 'b');
    await settled();
    await finish('b');
    expect(started).toHaveLength(2);
    await clock.advance(300_000);
    void ask(checkers.forRun(RIVAL), 'c');
    await settled();
    expect(started.map(({ options }) => options.whenIdle)).toEqual([true, false, true]);
    expect(started[1]?.isAlive()).toBe(false);
    await finish('c');
  });

  it('takes the others of its class with it', async () => {
    let usedMs = 0;
    const { checkers, clock, started, finish } = openCheckers({ whenIdle: true, idleMs: () => usedMs });
    void ask(checkers.forRun(ACME), 'a');
    void ask(checkers.forRun(RIVAL), 'b');
    await settled();
    await finish('a');
    await finish('b');
    void ask(checkers.forRun(ACME), 'starved');
    await settled();
    await clock.advance(1_000);
    await settled();
    expect(started.map((thread) => [thread.options.whenIdle, thread.isAlive()])).toEqual([
      [true, false],
      [true, false],
      [false, true],
    ]);
    usedMs = 1;
    started[2]?.jobs[0]?.answer.resolve('');
    await settled();
  });

  it('is not replaced for a check that was cancelled, and its time is not that of a request', async () => {
    const cancel = new AbortController();
    const { checkers, clock, started } = openCheckers({ whenIdle: true, idleMs: () => 0 });
    const cancelled = expect(ask(checkers.forRun(ACME), 'a', cancel.signal)).rejects.toThrow('cancelled');
    await settled();
    cancel.abort(new Error('cancelled'));
    await cancelled;
    await clock.advance(1_000);
    await settled();
    expect(started.map((thread) => thread.isAlive())).toEqual([false]);
    const late = openCheckers({ whenIdle: true, idleMs: () => 0, seconds: 1 });
    const answer = ask(late.checkers.forRequest(ACME), 'b');
    await settled();
    await late.clock.advance(250);
    await settled();
    await late.clock.advance(900);
    late.started[1]?.jobs[0]?.answer.resolve('in time');
    expect(await answer).toBe('in time');
  });
});

describe('tenants', () => {
  it('are served in turns, however much one of them has waiting', async () => {
    const { checkers, inputs, finish } = openCheckers({ total: 1 });
    for (const input of ['r1', 'r2', 'r3']) void ask(checkers.forRun(RIVAL), input);
    for (const input of ['a1', 'a2']) void ask(checkers.forRun(ACME), input);
    await settled();
    for (const input of ['r1', 'a1', 'r2', 'a2']) await finish(input);
    expect(inputs()).toEqual(['r1', 'a1', 'r2', 'a2', 'r3']);
  });

  it('have no more threads at a time than they may, so one is left for another', async () => {
    const { checkers, inputs, counts } = openCheckers(threadLimits('host', 1));
    for (const input of ['r1', 'r2']) void ask(checkers.forRun(RIVAL), input);
    await settled();
    expect(inputs()).toEqual(['r1']);
    expect(counts.waits).toBe(1);
    void ask(checkers.forRun(ACME), 'a1');
    await settled();
    expect(inputs()).toEqual(['r1', 'a1']);
  });

  it('who wait for a request take turns with their own runs', async () => {
    const { checkers, inputs, finish } = openCheckers({ total: 1 });
    for (const input of ['r1', 'r2', 'r3']) void ask(checkers.forRun(RIVAL), input);
    void ask(checkers.forRequest(RIVAL), 'request');
    await settled();
    await finish('r1');
    await finish('r2');
    expect(inputs()).toEqual(['r1', 'r2', 'request']);
  });

  it('have for all checks of a request the time of one', async () => {
    const { checkers, clock, finish } = openCheckers({ seconds: 10 });
    const check = checkers.forRequest(ACME);
    const first = ask(check, 'first');
    await settled();
    await clock.advance(6_000);
    await finish('first');
    await first;
    const refused = expect(ask(check, 'second')).rejects.toThrow(CheckOverLimit);
    await settled();
    await clock.advance(4_000);
    await refused;
    await expect(ask(check, 'third')).rejects.toThrow(CheckOverLimit);
  });
});

describe('real threads', () => {
  const open: Checkers[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  const openReal = (seconds: number): Checkers => {
    const limits = { ...threadLimits('host', 1), seconds };
    const checkers = createCheckers({ clock: systemClock, limits });
    open.push(checkers);
    return checkers;
  };
  /** Known to threads by its name alone: what is done here must not be done at once. */
  const inThread = <Input, Result>(name: string): CheckWork<Input, Result> => ({
    name,
    run: () => Promise.reject(new Error('This was done at once.')),
  });

  it('make the checks that they know by name', async () => {
    const check = openReal(10).forRun(ACME);
    const golden = { match: { strategy: 'exact', value: 'x' }, output: 'x' };
    expect(await check(inThread('golden'), golden, DEAR)).toBe(1);
    expect(await check(inThread('schema-issues'), '{"type":"objekt"}', DEAR)).toHaveLength(1);
    expect(await check(inThread('masking'), 'password=hunter2hunter2', DEAR)).toBe('password=[REDACTED]');
  });

  it('are stopped in the middle of a pattern that would take for ever, and others go on', async () => {
    const checkers = openReal(1);
    const pattern = Array.from('efghijkl', (letter) => `a[ab]{900}[cd${letter}]`).join('|');
    const output = lettersAandB(1_000_000);
    const answer = { output, outcome: 'completed', calledTools: [] };
    const question = { checks: [{ name: 'regex', args: { pattern } }], answer };
    const slow = checkers.forRun(RIVAL)(inThread('answer-checks'), question, DEAR);
    const golden = { match: { strategy: 'exact', value: 'x' }, output: 'x' };
    expect(await checkers.forRun(ACME)(inThread('golden'), golden, DEAR)).toBe(1);
    await expect(slow).rejects.toThrow(CheckOverLimit);
    expect(await checkers.forRun(RIVAL)(inThread('golden'), golden, DEAR)).toBe(1);
  });

  it('that run out of memory end alone', async () => {
    const hungry = new URL(
      'data:text/javascript,import { parentPort } from "node:worker_threads";const all=[];' +
        'parentPort.on("message",()=>{for(;;)all.push([all.length])});parentPort.postMessage(["ready"])',
    );
    const thread = startCheckerThread({ whenIdle: false }, hungry, 16);
    await thread.ready;
    await expect(thread.run('none', [])).rejects.toThrow(CheckOverLimit);
    await thread.ended;
    expect(thread.isAlive()).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')('on Linux', () => {
  it('a thread that checks has a lower priority than the thread that serves everybody', async () => {
    const thread = startCheckerThread();
    await thread.ready;
    const niceness = readdirSync('/proc/self/task').map((id) => nicenessOf(`/proc/self/task/${id}/stat`));
    expect(niceness).toContain(10);
    expect(nicenessOf(`/proc/self/task/${process.pid}/stat`)).toBe(getPriority());
    expect(thread.idleMs()).toBeUndefined();
    thread.stop(new Error('The test is over.'));
    await thread.ended;
  });

  it.runIf(availableParallelism() > 1)(
    'a thread of a host is executed only while nothing else wants its processor',
    async () => {
      expect(threadLimits('host', 1).whenIdle).toBe(true);
      const thread = startCheckerThread({ whenIdle: true });
      await thread.ready;
      const before = thread.idleMs();
      expect(policies()).toContain(IDLE_POLICY);
      await thread.run('golden', { match: { strategy: 'exact', value: 'x' }, output: 'x' });
      expect(thread.idleMs()).toBeGreaterThan(Number(before));
      thread.stop(new Error('The test is over.'));
      await thread.ended;
      expect(policies()).not.toContain(IDLE_POLICY);
    },
  );
});

/** `SCHED_IDLE` of Linux. */
const IDLE_POLICY = 5;
const policies = (): readonly number[] =>
  readdirSync('/proc/self/task').map((id) => numberOf(`/proc/self/task/${id}/stat`, 41));

const nicenessOf = (file: string): number => numberOf(file, 19);

/** A field by its number from 1 on. The second one is a name in brackets, which may hold spaces. */
const numberOf = (file: string, field: number): number =>
  Number(readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ')[field - 3]);
