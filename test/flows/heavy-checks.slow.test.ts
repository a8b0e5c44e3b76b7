// Goal: whatever a tenant's content costs to check, others do not wait for it. Method: a real host with two tenants; globex has
// content that takes long to check, and while its run is under way acme is answered, evaluates, and has the right scores.
import { afterEach, describe, expect, it } from 'vitest';
import { lettersAandB } from '../../packages/touchstone/src/app/testing/letters.js';
import { eventsOf, readJson } from './pack-host.js';
import { KEY, kill, OTHER_KEY, type Serving, serve } from './processes.js';
import {
  type Answering,
  closeAll,
  type HostClient,
  hostAt,
  open,
  projectFolder,
  startGateway,
  startRun,
  summaryOf,
} from './two-tenants.js';
import { metricsOf } from './whole-host.js';

afterEach(closeAll);

const says =
  (output: unknown): Answering =>
  (response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ output }));
  };

const rubricTasks = (count: number, criterion: string) =>
  Array.from({ length: count }, (_, index) => ({
    taskId: `r-${index}`,
    input: index,
    expected: { kind: 'rubric', rubric: [{ criterion, weight: 1 }] },
  }));
const patternSuite = (pattern: string, count: number) => ({
  modes: ['rubric'],
  tasks: rubricTasks(count, `[check:regex ${JSON.stringify({ pattern })}] z.`),
});

/** Takes some steps for every character, as many as it has instructions. A long answer makes it slow, not a long pattern, which is
 * examined within the same limit before the run begins. */
const ENDLESS = patternSuite(Array.from('ef', (letter) => `a[ab]{900}[cd${letter}]`).join('|'), 3);
const LETTERS = 1_600_000;
const LIMITS = { limits: { perTenant: { checkSeconds: 5 } } };

async function start(folder: string): Promise<Serving> {
  const serving = await serve([], folder);
  open.push({ close: async () => void (await kill(serving)) });
  return serving;
}

const statusOf = async (host: HostClient, runId: string): Promise<unknown> =>
  (await readJson(host, `/v1/runs/${runId}`, { key: OTHER_KEY })).body.status;

/** Acme lists its agents, evaluates one and has all points, before the run of globex has come to its end. */
async function acmeIsServed(host: HostClient, gateway: string, attack: string): Promise<void> {
  expect((await host.fetch('/v1/agents')).status).toBe(200);
  const runId = await startRun(host, 'acme', KEY, `${gateway}/agent`);
  expect(await summaryOf(host, runId, KEY)).toMatchObject({ passed: true, passedCount: 3 });
  expect(await statusOf(host, attack)).toBe('running');
}

/** Resolves when the agent of globex has answered for the first time: from then on its answers are being checked. */
function whenAnswered(output: unknown): { readonly answering: Answering; readonly answered: Promise<void> } {
  let tell: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return { answered, answering: (response, body) => void says(output)(response.on('finish', tell), body) };
}

const unscoredOf = async (host: HostClient, runId: string): Promise<readonly unknown[]> => {
  await host.client(OTHER_KEY).waitForScorecard(runId as never);
  const { body } = await readJson(host, `/v1/host/touchstone/runs/${runId}/report`, { key: OTHER_KEY });
  const { unscoredTasks = [] } = body.tasks as { unscoredTasks?: { reason: string }[] };
  return unscoredTasks.map(({ reason }) => reason);
};

describe('a pattern that would take for ever', () => {
  it('leaves its tasks unscored, and another tenant does not notice', async () => {
    const { answering, answered } = whenAnswered(lettersAandB(LETTERS));
    const gateway = await startGateway({ '/letters': answering });
    const host = hostAt((await start(projectFolder(LIMITS))).url);
    const attack = await startRun(host, 'globex', OTHER_KEY, `${gateway}/letters`, { suite: ENDLESS });
    await answered;
    await acmeIsServed(host, gateway, attack);
    expect(await unscoredOf(host, attack)).toEqual(Array(3).fill('check_over_limit'));
    const metrics = await metricsOf(host);
    expect(metrics).toContain('touchstone_limit_reached_total{limit="checkSeconds"} 3');
    expect(metrics).toMatch(/touchstone_limit_reached_total\{limit="checkThreads"\} \d/);
  });

  it('does not keep the host from ending, nor from starting again', async () => {
    const { answering, answered } = whenAnswered(lettersAandB(LETTERS));
    const gateway = await startGateway({ '/letters': answering });
    const folder = projectFolder({ limits: { perTenant: { checkSeconds: 3_600 } } });
    const first = await start(folder);
    const suite = { ...ENDLESS, tasks: ENDLESS.tasks.slice(0, 1) };
    const attack = await startRun(hostAt(first.url), 'globex', OTHER_KEY, `${gateway}/letters`, { suite });
    await answered;
    expect((await kill(first, 'SIGTERM')).code).toBe(0);
    const second = await start(folder);
    await acmeIsServed(hostAt(second.url), gateway, attack);
    await kill(second);
    const third = await start(folder);
    await acmeIsServed(hostAt(third.url), gateway, attack);
  });
});

it('a pattern of a thousand repeats on a long answer is decided, and another tenant does not notice', async () => {
  const { answering, answered } = whenAnswered('x'.repeat(200_000));
  const gateway = await startGateway({ '/long': answering });
  const host = hostAt((await start(projectFolder())).url);
  const suite = patternSuite('(?:x?){900}[^x]', 80);
  const attack = await startRun(host, 'globex', OTHER_KEY, `${gateway}/long`, { suite });
  await answered;
  await acmeIsServed(host, gateway, attack);
  expect(await summaryOf(host, attack, OTHER_KEY)).toMatchObject({ passed: false, passedCount: 0 });
  expect(await unscoredOf(host, attack)).toEqual([]);
});

it('a schema that compares many items with each other leaves its tasks unscored, and another tenant does not notice', async () => {
  const { answering, answered } = whenAnswered(Array.from({ length: 40_000 }, (_, i) => ({ i })));
  const gateway = await startGateway({ '/many': answering });
  const host = hostAt((await start(projectFolder(LIMITS))).url);
  const handoff = { returnSchema: { type: 'array', uniqueItems: true } };
  const attack = await startRun(host, 'globex', OTHER_KEY, `${gateway}/many`, { tasks: 3, handoff });
  await answered;
  await acmeIsServed(host, gateway, attack);
  expect(await unscoredOf(host, attack)).toEqual(Array(3).fill('check_over_limit'));
  const single = await host
    .client(OTHER_KEY)
    .runs.create({ agentId: 'local.globex.bot', inputs: {} } as never);
  expect((await eventsOf(host, single.runId, OTHER_KEY)).at(-1)).toMatchObject({
    type: 'run.failed',
    payload: { error: { code: 'check_over_limit' } },
  });
});

it('an answer of megabytes full of personal data is searched, and another tenant does not notice', async () => {
  const { answering, answered } = whenAnswered('+49 170 1234567 '.repeat(150_000));
  const gateway = await startGateway({ '/phones': answering });
  const host = hostAt((await start(projectFolder())).url);
  const suite = { modes: ['adversarial'] };
  const attack = await startRun(host, 'globex', OTHER_KEY, `${gateway}/phones`, { tasks: 8, suite });
  await answered;
  await acmeIsServed(host, gateway, attack);
  await host.client(OTHER_KEY).waitForScorecard(attack as never);
  const { body } = await readJson(host, `/v1/runs/${attack}/eval-summary`, { key: OTHER_KEY });
  const found = (body.tasks as { safetyFindings?: { kind: string }[] }[]).map(
    (task) => task.safetyFindings?.[0]?.kind,
  );
  expect(found).toEqual(Array(8).fill('pii-phone'));
});

it('a run whose host is killed ten times at the same task is given up, and the host stays', async () => {
  let reached: () => void = () => undefined;
  const gateway = await startGateway({ '/silent': () => reached() });
  const folder = projectFolder();
  const asked = () =>
    new Promise<void>((resolve) => {
      reached = resolve;
    });
  let next = asked();
  const first = await start(folder);
  const attack = await startRun(hostAt(first.url), 'globex', OTHER_KEY, `${gateway}/silent`, {
    tasks: 1,
  });
  await next;
  let serving = first;
  for (let times = 0; times < 9; times += 1) {
    next = asked();
    await kill(serving);
    serving = await start(folder);
    await next;
  }
  await kill(serving);
  const host = hostAt((await start(folder)).url);
  const events = await eventsOf(host, attack, OTHER_KEY);
  expect(events.at(-1)).toMatchObject({
    type: 'run.failed',
    payload: { error: { code: 'too_many_restarts', details: { restarts: 10 } } },
  });
  const runId = await startRun(host, 'acme', KEY, `${gateway}/agent`);
  expect(await summaryOf(host, runId, KEY)).toMatchObject({ passed: true, passedCount: 3 });
});
