import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import type { Clock } from '../../packages/touchstone/src/ports/index.js';
import {
  activate,
  auditOf,
  CANARY,
  AGENT as CLERK,
  SUITE as CLERK_SUITE,
  clerkSuite,
  deploymentEvents,
  keyOf,
  logOf,
  moduleOf,
  move,
  openDeploymentHost,
  type Person,
  peopled,
  recordOf,
  recordsOf,
  stage,
  type TransitionCall,
  typesOf,
} from './deployment-host.js';
import {
  echoes,
  evaluate,
  eventsOf,
  type HostClient,
  install,
  type ModelScript,
  modelConfig,
  AGENT as PACKED,
  SUITE as PACKED_SUITE,
  VERSION as PACKED_VERSION,
  payloadsOf,
  questionIn,
  readJson,
  startModelServer,
  startToolServer,
} from './pack-host.js';
import { OTHER_KEY } from './processes.js';
import {
  evaluated,
  INVOICE_AGENT,
  INVOICE_SUITE,
  install as installContract,
  invoicesWith,
  openProfileHost,
} from './profile-host.js';
import { rejudged } from './rejudge-host.js';
import {
  AGENT,
  begin,
  command,
  finish,
  finishPlain,
  fork,
  installSuite,
  openRunHost,
  type RunHost,
  type RunOptions,
  rubric,
  type TaskInput,
  untilEvent,
} from './run-host.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// Goal: nothing but a whole, original, finished, fresh and good run of the right agent opens a gate; everything else is
// named by its reason, moves nothing and tells nobody what was in it. Method: runs of every kind, made over HTTP like
// anybody's, offered to gates of every kind. What the agents read and say holds a phrase that must never come out.

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});
const opened = <T extends { close(): Promise<void> }>(one: T): T => {
  open.push(one);
  return one;
};

const SUITE = 'local.test.evals.proof';
const said = (index: number, wish: Partial<TaskInput> = {}): object => ({
  taskId: `t-${index}`,
  input: { say: `${CANARY} ${index}`, ...wish },
  expected: { kind: 'golden', match: { strategy: 'exact', value: `${CANARY} ${index}` } },
});
/** Version 2.0.0 gets half of it wrong; 1.0.0 and 3.0.0 get it right. */
const proofTasks = (): object[] => [
  ...Array.from({ length: 6 }, (_, index) => said(index, index < 3 ? { brokenIn: ['2.0.0'] } : {})),
  said(6, { hold: true }),
  rubric('judged', 'Yes, it is kind'),
];
const proofSuite = (extra: object = {}): object => ({
  suiteId: SUITE,
  version: '1.0.0',
  modes: ['golden', 'rubric'],
  thresholds: { passScore: 0.9 },
  tasks: proofTasks(),
  ...extra,
});
const gate = (requiredEval: object, extra: object = {}): object => ({
  agentId: '*',
  to: 'active',
  requiredEval,
  ...extra,
});
const openGated = (requiredEval: object): Promise<RunHost> =>
  openRunHost(peopled({ gates: [gate(requiredEval)] }));
const evaluateAs = (
  host: HostClient,
  version: string,
  asking: RunOptions = {},
  suite = SUITE,
): Promise<string> => finish(host, suite, { agentId: `${AGENT}@${version}`, ...asking });

type Offer = TransitionCall & { readonly to?: string };
const offering = ({ to = 'active', ...asking }: Offer): TransitionCall => ({
  agentId: AGENT,
  toState: to,
  ...asking,
});

/** Offers a run as proof, and is told why it is none. */
async function refused(host: WholeHost, version: string, reason: string, offer: Offer = {}): Promise<void> {
  const asking = offering(offer);
  const agentId = asking.agentId as string;
  const before = await recordsOf(host, agentId);
  const answer = await move(host, version, asking);
  expect(answer).toMatchObject({ status: 403, body: { error: 'eval_gate_unmet', details: { reason } } });
  const events = await logOf(host, answer.runId as string);
  expect(typesOf(events)).toEqual(['run.started', 'authorization.decided', 'run.failed']);
  expect(payloadsOf(events, 'authorization.decided')).toMatchObject([{ allowed: true }]);
  expect(payloadsOf(events, 'run.failed')).toMatchObject([
    { error: { code: 'eval_gate_unmet', details: { reason } } },
  ]);
  expect(await recordsOf(host, agentId)).toEqual(before);
  const audit = (await auditOf(host)).filter(({ runId }) => runId === answer.runId);
  expect(audit.map(({ allowed, reason: why }) => [allowed, why])).toEqual([
    [true, undefined],
    [false, `eval_gate_unmet: ${reason}`],
  ]);
  expectNoContent(answer, events, audit, await readJson(host, `/v1/runs/${answer.runId}`), host.logs);
}
/** Offers a run as proof, and is believed. */
async function believed(host: WholeHost, version: string, offer: Offer): Promise<void> {
  const asking = offering(offer);
  const { agentId = AGENT, evalRunId } = asking;
  const answer = await move(host, version, asking);
  expect(answer).toMatchObject({ status: 200, body: { state: asking.toState, evalRunId } });
  const events = await logOf(host, answer.runId as string);
  expect(deploymentEvents(events)).toMatchObject([
    { type: 'deployment.promoted', payload: { agentId, toVersion: version, evalRunId } },
  ]);
  expect(await recordOf(host, version, agentId)).toMatchObject({ evalRunId });
  expectNoContent(answer, events, await auditOf(host), host.logs);
}
const expectNoContent = (...seen: readonly unknown[]): void =>
  expect(JSON.stringify(seen)).not.toContain(CANARY);

describe('a run offered as proof', () => {
  let setup: RunHost;
  let host: WholeHost;
  beforeAll(async () => {
    setup = await openGated({ suite: `${SUITE}@1.0.0` });
    host = setup.host;
    await installSuite(host, proofSuite());
    for (const version of ['1.0.0', '2.0.0', '3.0.0']) await stage(host, version, { agentId: AGENT });
  });
  afterAll(() => setup.close());

  const held = async (): Promise<{ runId: string; release(): void }> => {
    const hold = setup.hold();
    const runId = await begin(host, SUITE, { configurable: { concurrency: 1 } });
    await untilEvent(host, runId, 'eval.scored');
    return { runId, release: hold.resolve };
  };

  it('is not there', async () => {
    await refused(host, '1.0.0', 'no_eval_run');
    await refused(host, '1.0.0', 'not_found', { evalRunId: 'run-of-nobody' });
  });

  it('is not over: it runs, it is paused, it was cancelled', async () => {
    const { runId, release } = await held();
    await refused(host, '1.0.0', 'not_finished', { evalRunId: runId });
    expect((await command(host, `/v1/runs/${runId}:pause`, { drainPolicy: 'immediate' })).status).toBe(202);
    await untilEvent(host, runId, 'run.paused');
    await refused(host, '1.0.0', 'not_finished', { evalRunId: runId });
    expect((await command(host, `/v1/runs/${runId}/cancel`)).status).toBe(200);
    release();
    await eventsOf(host, runId);
    await refused(host, '1.0.0', 'not_completed', { evalRunId: runId });
  });

  it('failed', async () => {
    const budget = { maxCostUsd: 0.01 };
    const runId = await evaluateAs(host, '1.0.0', { configurable: { budget, concurrency: 1 } });
    expect((await readJson(host, `/v1/runs/${runId}`)).body).toMatchObject({ status: 'failed' });
    await refused(host, '1.0.0', 'not_completed', { evalRunId: runId });
  });

  it('is of another agent, or of another version', async () => {
    const agentId = await boundTo('local.test.twin');
    const twin = await finish(host, SUITE, { agentId: `${agentId}@1.0.0` });
    await refused(host, '1.0.0', 'other_agent', { evalRunId: twin });
    const other = await evaluateAs(host, '3.0.0');
    await refused(host, '1.0.0', 'other_version', { evalRunId: other });
  });

  it('is another tenant’s, which is as good as none', async () => {
    await installSuite(host, proofSuite(), OTHER_KEY);
    const foreign = await evaluateAs(host, '1.0.0', { key: OTHER_KEY });
    await refused(host, '1.0.0', 'not_found', { evalRunId: foreign });
  });

  it('is no evaluation', async () => {
    const plain = await finishPlain(host, { agentId: `${AGENT}@1.0.0`, inputs: { say: CANARY } });
    const workflow = await finishPlain(host, { workflowId: 'conformance-noop' });
    const denied = await move(host, '1.0.0', { agentId: AGENT, by: 'reader' });
    for (const evalRunId of [plain, workflow, denied.runId as string])
      await refused(host, '1.0.0', 'not_an_eval', { evalRunId });
  });

  it('did not pass', async () => {
    const runId = await evaluateAs(host, '2.0.0');
    await refused(host, '2.0.0', 'not_passed', { evalRunId: runId });
  });

  it('is a copy or a second opinion', async () => {
    const runId = await evaluateAs(host, '3.0.0');
    for (const body of [{ mode: 'replay' }, { mode: 'branch', fromSeq: 2 }]) {
      const copy = (await fork(host, runId, body)).body.runId as string;
      await eventsOf(host, copy);
      await refused(host, '3.0.0', 'not_original', { evalRunId: copy });
    }
    const opinion = await rejudged(host, runId);
    expect(opinion.summary).toMatchObject({ passed: true });
    await refused(host, '3.0.0', 'not_original', { evalRunId: opinion.runId });
  });

  it('is of a part of the suite', async () => {
    const onlyTasks = ['t-0', 't-1', 't-2', 't-3', 't-4', 't-5', 't-6'];
    for (const configurable of [{ onlyTasks }, { evalModes: ['golden'] }, { evalModes: ['rubric'] }]) {
      const runId = await evaluateAs(host, '3.0.0', { configurable });
      await refused(host, '3.0.0', 'not_whole', { evalRunId: runId });
    }
  });

  it('is of another suite, or of another version of it', async () => {
    await installSuite(host, proofSuite({ suiteId: `${SUITE}-too` }));
    const other = await evaluateAs(host, '3.0.0', {}, `${SUITE}-too`);
    await refused(host, '3.0.0', 'other_suite', { evalRunId: other });
    await installSuite(host, proofSuite({ version: '1.1.0' }));
    const newer = await evaluateAs(host, '3.0.0', {}, `${SUITE}@1.1.0`);
    await refused(host, '3.0.0', 'other_suite', { evalRunId: newer });
  });

  it('left a task unscored', async () => {
    const suiteId = `${SUITE}-unclear`;
    const tasks = [...proofTasks(), rubric('mumbled', 'Mumble and be unclear')];
    await installSuite(host, proofSuite({ suiteId, tasks, thresholds: { passScore: 0.5 } }));
    const agentId = await boundTo('local.test.unclear');
    const runId = await finish(host, suiteId, { agentId: `${agentId}@1.0.0` });
    expect((await readJson(host, `/v1/runs/${runId}/eval-summary`)).body).toMatchObject({ passed: true });
    await refused(host, '1.0.0', 'unscored', { agentId, evalRunId: runId, to: 'test' });
  });
  /** An agent of the tenant's own that nobody has moved yet. */
  async function boundTo(agentId: string): Promise<string> {
    const agent = await startToolServer((turn) => ({ output: (turn as { input: TaskInput }).input.say }));
    open.push(agent);
    const body = { agentId, version: '1.0.0', run: { kind: 'http', url: agent.url } };
    const bound = await host.fetch(`/v1/host/touchstone/agents/${agentId}`, { method: 'PUT', body });
    expect(bound.status).toBe(201);
    return agentId;
  }

  it('is held to the same where no gate asks for one', async () => {
    const agentId = await boundTo('local.test.ungated');
    const suiteId = `${SUITE}-aimed`;
    await installSuite(host, proofSuite({ suiteId, targetAgentId: AGENT }));
    const aside = await finish(host, suiteId, {
      agentId: `${agentId}@1.0.0`,
      configurable: { allowTargetMismatch: true },
    });
    const plain = await finishPlain(host, { workflowId: 'conformance-noop' });
    const offers: readonly [string, string][] = [
      ['not_found', 'run-of-nobody'],
      ['not_an_eval', plain],
      ['other_agent', await evaluateAs(host, '1.0.0')],
      ['target_mismatch', aside],
    ];
    for (const [reason, evalRunId] of offers)
      await refused(host, '1.0.0', reason, { agentId, evalRunId, to: 'test' });
    expect(await move(host, '1.0.0', { agentId })).toMatchObject({ status: 200, body: { state: 'test' } });
    const good = await finish(host, SUITE, { agentId: `${agentId}@1.0.0` });
    await believed(host, '1.0.0', { agentId, evalRunId: good, to: 'staged' });
  });

  it('is none for someone who may not promote, however good it is', async () => {
    const runId = await evaluateAs(host, '3.0.0', {}, `${SUITE}@1.0.0`);
    for (const by of ['runner', 'reader', 'pauser'] as const)
      expect(
        await move(host, '3.0.0', { agentId: AGENT, toState: 'active', evalRunId: runId, by }),
      ).toMatchObject({ status: 403, body: { error: 'forbidden' } });
  });

  it('of the whole suite that passed opens the gate, and is named wherever the promotion is told', async () => {
    const runId = await evaluateAs(host, '3.0.0', {}, `${SUITE}@1.0.0`);
    await believed(host, '3.0.0', { evalRunId: runId, channel: 'stable', by: 'releaser' });
  });
});

describe('a gate', () => {
  async function gated(requiredEval: object, suite: object = proofSuite()): Promise<WholeHost> {
    const { host } = opened(await openGated({ suite: SUITE, ...requiredEval }));
    await installSuite(host, suite);
    for (const version of ['1.0.0', '2.0.0', '3.0.0']) await stage(host, version, { agentId: AGENT });
    return host;
  }

  it('with a score of its own asks for that score instead of the bar of the suite', async () => {
    const strict = await gated({ requiredPassScore: 1 }, proofSuite({ thresholds: { passScore: 0.1 } }));
    const half = await evaluateAs(strict, '2.0.0');
    expect((await readJson(strict, `/v1/runs/${half}/eval-summary`)).body).toMatchObject({ passed: true });
    await refused(strict, '2.0.0', 'below_score', { evalRunId: half });
    await believed(strict, '1.0.0', { evalRunId: await evaluateAs(strict, '1.0.0') });

    const lenient = await gated({ requiredPassScore: 0.5 });
    await believed(lenient, '2.0.0', { evalRunId: await evaluateAs(lenient, '2.0.0') });
  });

  it('that names a suite without a version means its newest one, as it is now', async () => {
    const host = await gated({});
    const runId = await evaluateAs(host, '1.0.0');
    await installSuite(host, proofSuite({ version: '1.0.1' }));
    await refused(host, '1.0.0', 'suite_changed', { evalRunId: runId });
    await believed(host, '1.0.0', { evalRunId: await evaluateAs(host, '1.0.0') });
  });

  it('that names a judge believes no other, nor a run that had none', async () => {
    const host = await gated({ judge: { model: 'local/judge-2' } });
    const runId = await evaluateAs(host, '1.0.0');
    await refused(host, '1.0.0', 'other_judge', { evalRunId: runId });

    const { touchstone } = (await readJson(host, `/v1/runs/${runId}`)).body as {
      touchstone: { judge: { digest: string } };
    };
    for (const judge of ['local/judge-1', { digest: touchstone.judge.digest }]) {
      const other = await gated({ judge });
      await believed(other, '1.0.0', { evalRunId: await evaluateAs(other, '1.0.0') });
      const suiteId = 'local.test.evals.proof';
      await installSuite(
        other,
        proofSuite({ suiteId, version: '2.0.0', modes: ['golden'], tasks: [said(0), said(1)] }),
      );
      await refused(other, '3.0.0', 'other_judge', { evalRunId: await evaluateAs(other, '3.0.0') });
    }
  });

  /** Corrects the three tasks that version 2.0.0 gets wrong. */
  async function correctAll(host: WholeHost, runId: string, by: Person): Promise<void> {
    for (const event of (await eventsOf(host, runId)).filter(
      ({ type, payload }) => type === 'eval.scored' && payload.passed === false,
    ))
      expect(
        await readJson(host, `/v1/runs/${runId}/annotations`, {
          method: 'POST',
          key: keyOf(by),
          body: {
            signal: { kind: 'correction', correction: '{"score":1}' },
            target: { eventId: event.eventId },
            note: `Looked at it: ${CANARY}.`,
          },
        }),
      ).toMatchObject({ status: 201 });
  }

  it('takes no word of people for a score, unless it says so', async () => {
    const deaf = await gated({});
    const runId = await evaluateAs(deaf, '2.0.0');
    await correctAll(deaf, runId, 'corrector');
    await refused(deaf, '2.0.0', 'not_passed', { evalRunId: runId, by: 'releaser' });

    const open = await gated({ acceptOverrides: true });
    const corrected = await evaluateAs(open, '2.0.0');
    await refused(open, '2.0.0', 'not_passed', { evalRunId: corrected, by: 'releaser' });
    await correctAll(open, corrected, 'corrector');
    await believed(open, '2.0.0', { evalRunId: corrected, by: 'releaser' });
  });

  it('that takes the word of people takes it of anyone but the one who promotes', async () => {
    const host = await gated({ acceptOverrides: true, requiredPassScore: 0.9 });
    const runId = await evaluateAs(host, '2.0.0');
    await correctAll(host, runId, 'lead');
    await refused(host, '2.0.0', 'below_score', { evalRunId: runId, by: 'lead' });
    await believed(host, '2.0.0', { evalRunId: runId, by: 'releaser' });
  });

  it('with an age believes nothing that is older', async () => {
    let aheadMs = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    const gates = [gate({ suite: CLERK_SUITE, maxAgeHours: 2 })];
    const host = opened(await openDeploymentHost({ gates, host: { clock } }));
    const runId = await finish(host, CLERK_SUITE, { agentId: `${CLERK}@1.0.0` });
    for (const version of ['1.0.0', '2.0.0']) await stage(host, version);
    const offer = { agentId: CLERK, evalRunId: runId };
    aheadMs = 2.1 * 3_600_000;
    await refused(host, '1.0.0', 'too_old', offer);
    aheadMs = 1.9 * 3_600_000;
    await believed(host, '1.0.0', offer);
  });

  it('with an age believes nothing that was made while the clock was ahead', async () => {
    let aheadMs = 100 * 3_600_000;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    const gates = [gate({ suite: CLERK_SUITE, maxAgeHours: 1 })];
    const host = opened(await openDeploymentHost({ gates, host: { clock } }));
    const early = await finish(host, CLERK_SUITE, { agentId: `${CLERK}@1.0.0` });
    aheadMs = 0;
    await stage(host, '1.0.0');
    await refused(host, '1.0.0', 'from_future', { agentId: CLERK, evalRunId: early });
    const evalRunId = await finish(host, CLERK_SUITE, { agentId: `${CLERK}@1.0.0` });
    await believed(host, '1.0.0', { agentId: CLERK, evalRunId });
  });

  it('sees that the agent is no longer the one that was evaluated', async () => {
    const gates = [gate({ suite: CLERK_SUITE })];
    const host = opened(await openDeploymentHost({ gates }));
    await stage(host, '1.0.0');
    const evalRunId = await finish(host, CLERK_SUITE, { agentId: `${CLERK}@1.0.0` });
    writeFileSync(join(host.folder, moduleOf('1.0.0')), 'export default (input) => input.say + "";\n');
    // With other bytes it has not come as far: it begins again, and what was shown of the old ones shows nothing.
    expect(await recordOf(host, '1.0.0', CLERK)).toEqual({
      agentId: CLERK,
      version: '1.0.0',
      state: 'draft',
    });
    expect(await move(host, '1.0.0', { agentId: CLERK, evalRunId, toState: 'active' })).toMatchObject({
      status: 400,
    });
    await stage(host, '1.0.0');
    await refused(host, '1.0.0', 'agent_changed', { agentId: CLERK, evalRunId });
    const again = await finish(host, CLERK_SUITE, { agentId: `${CLERK}@1.0.0` });
    await believed(host, '1.0.0', { agentId: CLERK, evalRunId: again });
  });

  it('believes no answers that were remembered', async () => {
    const model = opened(await startModelServer(echoes));
    const gates = [gate({ suite: PACKED_SUITE })];
    const host = opened(await openWholeHost(modelConfig(model, peopled({ gates }))));
    await install(host, { tasks: [{ input: CANARY, expect: CANARY }] });
    const agentId = PACKED;
    await stage(host, PACKED_VERSION, { agentId });
    const fresh = await evaluate(host, { configurable: { cache: true } });
    const remembered = await evaluate(host, { configurable: { cache: true } });
    expect(remembered.summary).toMatchObject({ passed: true });
    await refused(host, PACKED_VERSION, 'cached', { agentId, evalRunId: remembered.runId });
    await believed(host, PACKED_VERSION, { agentId, evalRunId: fresh.runId });
  });

  describe('with noRegression', () => {
    const TASKS = 40;
    const BROKEN = { '2.0.0': 10, '3.0.0': 3 };
    const tasks = Array.from({ length: TASKS }, (_, index) =>
      said(index, {
        brokenIn: Object.entries(BROKEN).flatMap(([version, count]) => (index < count ? [version] : [])),
      }),
    );
    const suite = proofSuite({ modes: ['golden'], thresholds: { passScore: 0.6 }, tasks });

    it('holds a run against the one by which the serving version came', async () => {
      const host = await gated({ noRegression: true }, suite);
      // Nothing serves: nothing to be worse than.
      await believed(host, '1.0.0', { evalRunId: await evaluateAs(host, '1.0.0'), channel: 'stable' });
      const worse = await evaluateAs(host, '2.0.0');
      expect((await readJson(host, `/v1/runs/${worse}/eval-summary`)).body).toMatchObject({ passed: true });
      await refused(host, '2.0.0', 'regression', { evalRunId: worse, channel: 'stable' });
      await believed(host, '3.0.0', { evalRunId: await evaluateAs(host, '3.0.0'), channel: 'stable' });
    });

    it('is not got around: not by a tolerance of the run’s own, a pause, or a channel that is empty', async () => {
      const host = await gated({ noRegression: true }, suite);
      await believed(host, '1.0.0', { evalRunId: await evaluateAs(host, '1.0.0'), channel: 'stable' });
      const worse = await evaluateAs(host, '2.0.0');
      const lenient = await evaluateAs(host, '2.0.0', {
        configurable: { baselineRunId: worse, regression: { tolerance: 1 } },
      });
      await refused(host, '2.0.0', 'regression', { evalRunId: lenient, channel: 'stable' });
      // On canary nothing serves, but the version would become the latest.
      await refused(host, '2.0.0', 'regression', { evalRunId: worse, channel: 'canary' });
      expect((await move(host, '1.0.0', { agentId: AGENT, transition: 'pause' })).status).toBe(200);
      await refused(host, '2.0.0', 'regression', { evalRunId: worse, channel: 'stable' });
    });

    it('when the suite has changed, holds it against a newer run of what serves', async () => {
      const host = await gated({ noRegression: true }, suite);
      await believed(host, '1.0.0', { evalRunId: await evaluateAs(host, '1.0.0'), channel: 'stable' });
      await installSuite(host, { ...suite, version: '2.0.0', tasks: tasks.slice(1) });
      const better = await evaluateAs(host, '3.0.0');
      await refused(host, '3.0.0', 'not_compared', { evalRunId: better, channel: 'stable' });
      await evaluateAs(host, '1.0.0');
      await refused(host, '2.0.0', 'regression', {
        evalRunId: await evaluateAs(host, '2.0.0'),
        channel: 'stable',
      });
      await believed(host, '3.0.0', { evalRunId: better, channel: 'stable' });
    });

    it('is not held against a run of what serves that would be no evidence of it', async () => {
      // The model that was asked decides how much of an answer is right.
      const share: { [model: string]: number } = { good: 1, half: 0.5, bad: 0 };
      const script: ModelScript = (request) => {
        const question = questionIn(request);
        const index = Number(question.match(/ (\d+)/)?.[1]);
        return { say: index < TASKS * (share[request.body.model] ?? 0) ? question : 'no idea' };
      };
      const model = opened(await startModelServer(script));
      const agentId = 'local.test.asks';
      const version = (name: string, asks: string) => ({
        agentId,
        version: name,
        run: { kind: 'openai', provider: 'local', model: asks },
      });
      const host = opened(
        await openWholeHost(
          modelConfig(model, {
            ...peopled({ gates: [gate({ suite: SUITE, requiredPassScore: 0.4, noRegression: true })] }),
            agents: [version('1.0.0', 'good'), version('2.0.0', 'half')],
          }),
        ),
      );
      const asked = Array.from({ length: TASKS }, (_, index) => ({
        taskId: `q-${index}`,
        input: `${CANARY} ${index}.`,
        expected: { kind: 'golden', match: { strategy: 'contains', value: `${CANARY} ${index}.` } },
      }));
      const run = (name: string, configurable: object = {}) =>
        finish(host, SUITE, { agentId: `${agentId}@${name}`, configurable });
      await installSuite(host, proofSuite({ modes: ['golden'], tasks: asked.slice(1) }));
      for (const name of ['1.0.0', '2.0.0']) await stage(host, name, { agentId });
      await believed(host, '1.0.0', { agentId, evalRunId: await run('1.0.0'), channel: 'stable' });
      await installSuite(host, proofSuite({ version: '2.0.0', modes: ['golden'], tasks: asked }));
      const serving = await run('1.0.0');
      const worse = { agentId, evalRunId: await run('2.0.0'), channel: 'stable' };
      await refused(host, '2.0.0', 'regression', worse);
      for (const configurable of [{ model: 'local/bad' }, { model: 'local/half', cache: true }])
        await run('1.0.0', configurable);
      const { body } = await move(host, '2.0.0', offering(worse));
      expect(body.details).toMatchObject({ reason: 'regression', serving: '1.0.0', against: serving });
    });

    it('and requireConclusive asks for a difference that can be told', async () => {
      const host = await gated({ noRegression: true, requireConclusive: true }, suite);
      await believed(host, '1.0.0', { evalRunId: await evaluateAs(host, '1.0.0'), channel: 'stable' });
      const unsure = await evaluateAs(host, '3.0.0');
      await refused(host, '3.0.0', 'inconclusive', { evalRunId: unsure, channel: 'stable' });
    });

    it('cannot tell when what serves was measured by something else', async () => {
      const host = await gated({ noRegression: true }, suite);
      await believed(host, '1.0.0', { evalRunId: await evaluateAs(host, '1.0.0'), channel: 'stable' });
      await installSuite(host, {
        ...suite,
        version: '2.0.0',
        tasks: tasks.map((task) => ({ ...task, taskId: `other-${(task as { taskId: string }).taskId}` })),
      });
      const other = await evaluateAs(host, '3.0.0');
      await refused(host, '3.0.0', 'not_compared', { evalRunId: other, channel: 'stable' });
    });
  });

  it('with requireConclusive believes no run whose score could as well be on the other side of the bar', async () => {
    const tasks = Array.from({ length: 4 }, (_, index) =>
      said(index, index < 1 ? { brokenIn: ['2.0.0'] } : {}),
    );
    const suite = proofSuite({ modes: ['golden'], thresholds: { passScore: 0.7 }, tasks });
    const host = await gated({ requireConclusive: true }, suite);
    const runId = await evaluateAs(host, '2.0.0');
    expect((await readJson(host, `/v1/runs/${runId}/eval-summary`)).body).toMatchObject({ passed: true });
    expect((await readJson(host, `/v1/host/touchstone/runs/${runId}/report`)).body).toMatchObject({
      verdict: 'inconclusive',
    });
    await refused(host, '2.0.0', 'inconclusive', { evalRunId: runId });
  });

  it('on a suite with a contract asks for every strict criterion, whatever the thresholds say', async () => {
    const RUBRIC = [
      { name: 'json_schema_validity', threshold: 0.75 },
      { name: 'accuracy', threshold: 0.5 },
    ];
    const right = { queue: 'pay', amount_minor: 1 };
    const wrong = { queue: 'review', amount_minor: 1 };
    const definition = (version: string) =>
      invoicesWith({ expected_latency_ms: 600_000, grading_rubric: RUBRIC }, version);
    const rows = (...answers: readonly object[]) =>
      answers.map((say, index) => ({ id: `i-${index}`, input: { text: CANARY, say }, expected: right }));
    const agentId = INVOICE_AGENT;
    const { host } = opened(
      await openProfileHost({ config: peopled({ gates: [gate({ suite: INVOICE_SUITE })] }) }),
    );
    await stage(host, '1.0.0', { agentId });
    const wish = { agentId: `${agentId}@1.0.0`, configurable: { allowTargetMismatch: false } };

    const broken = await installContract(host, {
      definition: definition('1.2.0'),
      rows: rows(right, wrong, wrong, wrong),
      targetAgentId: agentId,
    });
    const below = await evaluated(host, broken, wish);
    expect(below.summary).toMatchObject({ passed: true });
    await refused(host, '1.0.0', 'contract_unmet', { agentId, evalRunId: below.runId });

    const kept = await installContract(host, {
      definition: definition('1.3.0'),
      rows: rows(right, right, wrong, wrong),
      targetAgentId: agentId,
    });
    const above = await evaluated(host, kept, wish);
    await believed(host, '1.0.0', { agentId, evalRunId: above.runId });
  });

  it('is held to the suite of the host, whatever a tenant puts beside it', async () => {
    const host = opened(await openDeploymentHost({ gates: [gate({ suite: CLERK_SUITE })] }));
    await stage(host, '1.0.0');
    await installSuite(host, clerkSuite({ version: '9.0.0' }, 1));
    const easy = await finish(host, `${CLERK_SUITE}@9.0.0`, { agentId: `${CLERK}@1.0.0` });
    await refused(host, '1.0.0', 'suite_changed', { agentId: CLERK, evalRunId: easy });
    // Without a version the name means the same to a run as to the gate.
    const asked = await finish(host, CLERK_SUITE, { agentId: `${CLERK}@1.0.0` });
    const { body } = await readJson(host, `/v1/runs/${asked}`);
    expect(body.touchstone).toMatchObject({ suite: { ref: `${CLERK_SUITE}@1.0.0` } });
    await believed(host, '1.0.0', { agentId: CLERK, evalRunId: asked });
  });

  it('believes no run with a model that was chosen for it', async () => {
    const model = opened(await startModelServer(echoes));
    const host = opened(
      await openWholeHost(modelConfig(model, peopled({ gates: [gate({ suite: PACKED_SUITE })] }))),
    );
    await install(host, { tasks: [{ input: CANARY, expect: CANARY }] });
    await stage(host, PACKED_VERSION, { agentId: PACKED });
    const chosen = await evaluate(host, { configurable: { temperature: 0.9 } });
    await refused(host, PACKED_VERSION, 'other_model', { agentId: PACKED, evalRunId: chosen.runId });
    const plain = await evaluate(host, {});
    await believed(host, PACKED_VERSION, { agentId: PACKED, evalRunId: plain.runId });
  });

  it('of several on the same way asks for all that each asks for', async () => {
    const OWN = 'local.test.evals.own';
    const host = opened(
      await openDeploymentHost({
        gates: [
          gate({ suite: OWN }, { gateId: 'wide' }),
          gate({ suite: OWN, requiredPassScore: 1 }, { gateId: 'narrow', agentId: CLERK }),
          gate({ suite: `${OWN}-none` }, { gateId: 'elsewhere', tenant: 'globex' }),
        ],
      }),
    );
    const tasks = [
      ...(clerkSuite() as { tasks: object[] }).tasks,
      {
        taskId: 'odd',
        input: { say: 'no' },
        expected: { kind: 'golden', match: { strategy: 'exact', value: 'yes' } },
      },
    ];
    await installSuite(
      host,
      clerkSuite({ suiteId: OWN, version: '1.1.0', thresholds: { passScore: 0.5 }, tasks }),
    );
    await stage(host, '1.0.0');
    const most = await finish(host, OWN, { agentId: `${CLERK}@1.0.0` });
    await refused(host, '1.0.0', 'below_score', { agentId: CLERK, evalRunId: most });
  });

  it('is on the way back from a pause, too, and on no way back from trouble', async () => {
    const host = await gated({});
    for (const version of ['1.0.0', '3.0.0'])
      await believed(host, version, { evalRunId: await evaluateAs(host, version), channel: 'stable' });
    const moved = (version: string, transition: string, extra: TransitionCall = {}) =>
      move(host, version, { agentId: AGENT, transition, ...extra });
    expect(await moved('1.0.0', 'pause')).toMatchObject({ status: 200 });
    await refused(host, '1.0.0', 'no_eval_run');
    expect(await moved('3.0.0', 'rollback')).toMatchObject({
      status: 200,
      body: { state: 'rolled-back', rollbackPointer: '1.0.0' },
    });
    expect(await recordOf(host, '1.0.0', AGENT)).toMatchObject({ state: 'active' });
  });
});

it('an agent without a gate needs no proof', async () => {
  const host = opened(
    await openDeploymentHost({ gates: [gate({ suite: SUITE }, { agentId: 'local.other.*' })] }),
  );
  await activate(host, '1.0.0', { channel: 'stable' });
  expect(await recordOf(host, '1.0.0')).toMatchObject({ state: 'active', channels: ['stable', 'latest'] });
});
