// What a neighbour does that means harm. Each attack prepares what it needs and answers how to start it; then it goes on until its
// process ends. So all of them are under way at the same time when they are measured together.
import { setTimeout as pause } from 'node:timers/promises';

export const ATTACKS = {
  patterns,
  schemas,
  polls,
  names,
  sockets,
  keys,
  retryAfter,
  suites,
  answers,
  lists,
  forks,
  bodies,
  compiling,
};

/** A pattern whose cost per character is high, on a long answer. */
function patterns(rival) {
  const check = '[check:regex {"pattern":"(?:x?){900}[^x]"}] z.';
  return repeatRuns(rival, 'patterns', '/echo', rubric(8, 'x'.repeat(200_000), check), 2);
}

/** A schema whose cost grows with the square of the answer. */
function schemas(rival) {
  const check = '[check:schema {"schema":{"type":"array","uniqueItems":true}}] They differ.';
  return repeatRuns(rival, 'schemas', '/objects', rubric(30, 'go', check), 2);
}

/** Six polls at a time on a log with large answers, and twenty readers of it that do not read. */
async function polls(rival) {
  const { runId } = await rival.startRun('polls', '/large', golden(40, 'go'));
  await rival.waitForEnd(runId);
  const events = `/v1/runs/${runId}/events`;
  return () => {
    for (let at = 0; at < 20; at += 1) rival.stall(`${events}?streamMode=debug`);
    for (let at = 0; at < 6; at += 1) void forever(() => rival.drain(`${events}/poll?timeout=1`));
  };
}

/** An agent at a name whose server does not answer, as wide as a run may be. */
async function names(rival) {
  await rival.install('names', rival.unanswered, golden(200, 'go'));
  return () => rival.createRun('names', 200);
}

/** As many runs as a tenant has at a time, each as wide as it may be, on an agent that takes the call and never answers. */
async function sockets(rival) {
  await rival.install('sockets', '/silent', golden(256, 'go'));
  return async () => {
    for (let at = 0; at < 32; at += 1) await rival.createRun('sockets', 256);
  };
}

/** More wrong keys than an address is allowed, and then fifty a second. */
async function keys(rival) {
  const guess = () => rival.drain('/v1/agents', `wrong-key-${Math.random()}`);
  return async () => {
    await Promise.all(Array.from({ length: 150 }, guess));
    void forever(async () => {
      void guess().catch(() => undefined);
      await pause(20);
    });
  };
}

/** An agent that asks to wait for an hour, at the origin of everybody's agents. */
async function retryAfter(rival) {
  await rival.install('retry-after', '/limited', golden(20, 'go'));
  return () => rival.createRun('retry-after');
}

/** Stores suites of half a megabyte as fast as the host takes them. */
async function suites(rival) {
  let version = 0;
  const tasks = golden(1, 'y'.repeat(500_000)).tasks;
  const store = () => {
    version += 1;
    const suite = {
      suiteId: 'local.rival.evals.stored',
      version: `1.0.${version}`,
      modes: ['golden'],
      tasks,
    };
    return rival.call('POST', '/v1/host/touchstone/suites', suite);
  };
  return () => {
    for (let at = 0; at < 4; at += 1) void forever(store);
  };
}

/** Answers of four megabytes, each of which is looked through for secrets and personal data. */
function answers(rival) {
  return repeatRuns(rival, 'answers', '/largest', golden(20, 'go'), 1);
}

/** Runs with large metadata, and lists of them. */
async function lists(rival) {
  await rival.install('lists', '/echo', golden(1, 'go'));
  const metadata = { text: 'm'.repeat(2_000_000) };
  for (let at = 0; at < 10; at += 1) await rival.createRun('lists', 1, { metadata });
  return () => {
    for (let at = 0; at < 4; at += 1) void forever(() => rival.drain('/v1/host/touchstone/runs?limit=200'));
  };
}

/** Replays of a run with large answers, each of which copies them. */
async function forks(rival) {
  const { runId } = await rival.startRun('forks', '/large', golden(10, 'go'));
  await rival.waitForEnd(runId);
  const fork = async () =>
    rival.waitForEnd((await rival.call('POST', `/v1/runs/${runId}:fork`, { mode: 'replay' })).runId);
  return () => {
    for (let at = 0; at < 2; at += 1) void forever(fork);
  };
}

/** Bodies with very many members, known and unknown. */
async function bodies(rival) {
  await rival.install('bodies', '/echo', golden(1, 'go'));
  const members = Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [`member${at}`, at]));
  return () => {
    void forever(() => rival.createRun('bodies', 1, members));
    void forever(() => rival.createRun('bodies', 1, { metadata: members }));
  };
}

/** Suites that are only checked, with patterns and schemas that take long to compile. */
async function compiling(rival) {
  const pattern = (at) => `[check:regex {"pattern":"(?:[\\\\p{L}\\\\p{N}]?){1000}${at}"}] z.`;
  const properties = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, at) => [`p${at}`, { type: 'string' }]),
  );
  const schema = (at) => `[check:schema ${JSON.stringify({ schema: { title: `s${at}`, properties } })}] z.`;
  const suites = [pattern, schema].map((criterion) => {
    const suite = { suiteId: 'local.rival.evals.compiling', version: '1.0.0', modes: ['rubric'] };
    const tasks = Array.from({ length: 100 }, (_, at) => rubric(1, 'go', criterion(at)).tasks[0]).map(
      (task, at) => ({ ...task, taskId: `t-${at}` }),
    );
    return { ...suite, tasks };
  });
  return () => {
    for (const suite of suites)
      void forever(() => rival.call('POST', '/v1/host/touchstone/suites:check', suite));
  };
}

async function repeatRuns(rival, name, path, suite, atATime) {
  await rival.install(name, path, suite);
  const once = async () => rival.waitForEnd((await rival.createRun(name, 8)).runId);
  return () => {
    for (let at = 0; at < atATime; at += 1) void forever(once);
  };
}

/** A refusal is what the host is expected to give: the neighbour waits a little and tries again. */
async function forever(step) {
  for (;;) await step().catch(() => pause(100));
}

const tasksOf = (count, input, expected) =>
  Array.from({ length: count }, (_, at) => ({ taskId: `t-${at}`, input, expected }));

const golden = (count, input) => ({
  modes: ['golden'],
  tasks: tasksOf(count, input, { kind: 'golden', match: { strategy: 'exact', value: 'no' } }),
});

const rubric = (count, input, criterion) => ({
  modes: ['rubric'],
  tasks: tasksOf(count, input, { kind: 'rubric', rubric: [{ criterion, weight: 1 }] }),
});
