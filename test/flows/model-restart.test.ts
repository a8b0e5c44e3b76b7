import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  createEval,
  deferred,
  eventsOf,
  filesOf,
  modelConfig,
  type PackShape,
  startModelServer,
} from './pack-host.js';
import { temporaryFolder } from './processes.js';
import { openWholeHost } from './whole-host.js';

// A host that comes back without what a run needs has to end that run with a reason; trying forever helps nobody.
const packAt = (shape: PackShape = {}) =>
  Object.fromEntries([...filesOf(shape)].map(([path, bytes]) => [`packs/desk/${path}`, bytes]));
const nowhere = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', tenants: ['acme'] };

it.each<[string, object, PackShape, RegExp]>([
  ['its provider', { providers: {} }, {}, /no provider "local"/],
  ['its credential', { providers: { local: { ...nowhere, apiKeyEnv: 'GONE_KEY' } } }, {}, /GONE_KEY/],
  ['the agent as it was', {}, { agent: { persona: 'Edited' } }, /has changed since/],
])('a run whose host comes back without %s ends with that reason', async (_, config, shape, reason) => {
  const folder = temporaryFolder();
  const arrived = deferred();
  const held = deferred();
  const model = await startModelServer(async () => {
    arrived.resolve();
    await held.promise;
    return { say: 'too late' };
  });
  const shared = { store: `sqlite:${join(folder.path, 'shared.db')}`, packs: ['./packs'] };
  const first = await openWholeHost(modelConfig(model, shared), { files: packAt() });
  const runId = (await createEval(first)).body.runId as string;
  await arrived.promise;
  await first.close();
  held.resolve();
  const second = await openWholeHost(modelConfig(model, { ...shared, ...config }), { files: packAt(shape) });
  const last = (await eventsOf(second, runId)).at(-1);
  expect(last).toMatchObject({
    type: 'run.failed',
    payload: { error: { code: 'agent_unavailable', message: expect.stringMatching(reason) } },
  });
  expect(model.requests).toHaveLength(1);
  await second.close();
  await model.close();
  folder.remove();
});
