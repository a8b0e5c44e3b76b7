import { afterEach, describe, expect, it } from 'vitest';
import {
  type Actor,
  createRun,
  installSuite,
  judged,
  literally,
  resultOf,
  suiteOf,
  viewOf,
} from './judge-host.js';
import { deferred, payloadsOf, startModelServer } from './pack-host.js';
import { bothJudges, closeAll, open, rejudged, start, task } from './rejudge-host.js';

afterEach(closeAll);

describe('a judge', () => {
  it('leaves no trace of a first judge who could not be read', async () => {
    const { host } = await start({
      judge: (request) => (request.body.model === 'judge-1' ? { say: 'hm' } : bothJudges(request)),
    });
    const first = await judged(host, suiteOf([task({}, 0)]));
    expect(first.snapshot.touchstone.headline).toMatchObject({ unscored: 1 });
    const second = await rejudged(host, first.runId, { judge: 'local/judge-2' });
    expect(second.snapshot.touchstone.headline).toMatchObject({ unscored: 0 });
    expect((await viewOf(host, first.runId)).invocations[0]).toHaveProperty('reason');
    expect((await viewOf(host, second.runId)).invocations[0]).not.toHaveProperty('reason');
  });

  it('forgets a first judge whose price nobody knew', async () => {
    const { host } = await start({ config: { judge: { model: 'local/free-1' } } });
    const bar = { thresholds: { passScore: 0, maxCostUsd: 10 } };
    const first = await judged(host, suiteOf([task({}, 0)], bar));
    expect(first.summary.passed).toBe(false);
    const second = await rejudged(host, first.runId, { judge: 'local/judge-2' });
    expect(second.summary.passed).toBe(true);
  });

  it('a vote that was paid is in the ledger before the next one is asked (pin 14)', async () => {
    const [arrived, held] = [deferred(), deferred()];
    const { host } = await start({
      votes: 2,
      judge: async (request, index) => {
        if (index === 1) {
          arrived.resolve();
          await held.promise;
        }
        return literally(request);
      },
    });
    await installSuite(host, suiteOf([task({}, 0)]));
    const runId = (await createRun(host)).body.runId as string;
    await arrived.promise;
    await host.fetch(`/v1/runs/${runId}/cancel`, { method: 'POST', body: {} });
    const { snapshot } = await resultOf(host, runId);
    held.resolve();
    expect((snapshot as never as { metrics: object }).metrics).toEqual({ openwopCost: { usd: 0.287 } });
  });

  const SECRET = `sk-${'ant-api03-'}${'Zq7Rt2Lm9Kx4Wp8Vb3Nc6Hd5Jf2Gs9Ty7Ue4aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3aB4cD5eF6gH7iJ8'}AA`;
  const leaky: Actor = () => ({ output: `the key is ${SECRET}` });
  const withSecret = (judge: { baseUrl: string }) => ({
    providers: {
      local: { kind: 'openai-compatible', baseUrl: judge.baseUrl, tenants: ['acme'] },
      other: { kind: 'openai-compatible', baseUrl: judge.baseUrl, tenants: ['acme'], apiKeyEnv: 'OTHER_KEY' },
    },
  });
  it('a secret of the host in an answer is not sent on to the judge, and judging again finds it too', async () => {
    const server = await startModelServer(bothJudges);
    open.push(server);
    const { host } = await start({
      actor: leaky,
      config: withSecret(server),
      host: { env: { OTHER_KEY: SECRET } },
    });
    const first = await judged(host, suiteOf([task({}, 0)]));
    const second = await rejudged(host, first.runId);
    const counts = [first, second].map(
      ({ events }) => payloadsOf(events, 'eval.scored')[0]?.safetyFindingCount ?? 0,
    );
    expect({ sent: JSON.stringify(server.requests).includes(SECRET), counts }).toEqual({
      sent: false,
      counts: [1, 1],
    });
  });

  it('what was found in an answer is reported also when the judge could not be read', async () => {
    const { host } = await start({
      judge: () => ({ say: 'hm' }),
      actor: () => ({ output: 'ok jane.doe@example.com' }),
    });
    const { events } = await judged(host, suiteOf([task({}, 0)], { modes: ['adversarial'] }));
    expect(payloadsOf(events, 'eval.scored')[0]).toMatchObject({ safetyFindingCount: 1 });
  });

  it('a judge that is configured and cannot be asked is named in the refusal', async () => {
    const { host } = await start({ config: { judge: { model: 'gone/judge-1' } } });
    await installSuite(host, suiteOf([task({}, 0)]));
    expect(JSON.stringify((await createRun(host)).body)).toContain('gone');
  });
});
