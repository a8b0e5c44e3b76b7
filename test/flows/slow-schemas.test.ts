import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import {
  agentEntry,
  archiveOfFiles,
  manifest,
  PACK_NAME,
  packFiles,
} from '../../packages/touchstone/src/packs/testing/pack-bytes.js';
import type { Clock } from '../../packages/touchstone/src/ports/index.js';
import { createEval, echoes, install, modelConfig, startModelServer } from './pack-host.js';
import { put } from './pack-publishing.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// On this clock everything takes long once it is told so. The schemas are harmless; only their time is not. Their patterns
// make them ones that a thread has to look into.
const limits = { perTenant: { checkSeconds: 20 } };
let step = 0;
let elapsed = 0;
const slowClock: Clock = {
  ...systemClock,
  elapsed: () => {
    elapsed += step;
    return elapsed;
  },
};

let host: WholeHost;
afterEach(async () => {
  step = 0;
  await host.close();
});

it('a run is refused when checking all its inputs takes too long, and admitted when it does not', async () => {
  const model = await startModelServer(echoes);
  host = await openWholeHost({ ...modelConfig(model), limits }, { clock: slowClock });
  const tasks = Array.from({ length: 10 }, () => ({ input: {} }));
  await install(host, { taskSchema: { type: 'object', patternProperties: { '^a': {} } }, tasks });
  step = 6_000;
  const { status, body } = await createEval(host);
  expect(status).toBe(400);
  expect(body.details).toMatchObject({
    issues: [{ pointer: '/agentId', message: expect.stringContaining('task schema takes too long') }],
  });
  step = 0;
  expect((await createEval(host)).status).toBe(201);
  await model.close();
});

it('a pack is refused when compiling all its schemas takes too long', async () => {
  host = await openWholeHost({ trust: { policy: 'open' }, limits }, { clock: slowClock });
  const handoff = (index: number) => ({ taskSchemaRef: `s${index}.json`, returnSchemaRef: `r${index}.json` });
  const agents = ['a', 'b', 'c'].map((name, index) =>
    agentEntry({ agentId: `${PACK_NAME}.${name}`, evalSuiteRef: undefined, handoff: handoff(index) }),
  );
  const schemas = [0, 1, 2].flatMap((index) =>
    Object.values(handoff(index)).map((path) => [path, '{"pattern":"^a"}']),
  );
  const archive = archiveOfFiles(packFiles(manifest({ agents }), Object.fromEntries(schemas)));
  step = 6_000;
  const { status, body } = await put(host, archive);
  expect({ status, code: body.error }).toEqual({ status: 400, code: 'invalid_manifest' });
  expect(body.message).toContain('take too long to compile');
  step = 0;
  expect((await put(host, archive)).status).toBe(201);
});
