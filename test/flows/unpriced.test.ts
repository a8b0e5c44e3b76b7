import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createRun, installSuite, openJudgeHost, rubricTask, suiteOf } from './judge-host.js';
import { createEval, echoes, evaluate, install, modelConfig, startModelServer } from './pack-host.js';
import { runCli, temporaryFolder } from './processes.js';
import { openWholeHost } from './whole-host.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const budget = { maxCostUsd: 5 };

async function hostWith(extra: object) {
  const model = await startModelServer(echoes);
  open.push(model);
  const host = await openWholeHost(modelConfig(model, extra));
  open.push(host);
  await install(host, {});
  return { host, model };
}

describe('a budget for a model of unknown price', () => {
  it('is refused, with the model and what to do, and creates nothing', async () => {
    const { host, model } = await hostWith({ prices: {} });
    const { status, body } = await createEval(host, { configurable: { budget } });
    expect(status).toBe(400);
    const [issue] = (body.details as { issues: { pointer: string; message: string }[] }).issues;
    expect(issue?.pointer).toBe('/configurable/budget');
    expect(issue?.message).toMatch(/local\/small-1.*prices.*configurable\.allowUnpriced/s);
    expect(model.requests).toHaveLength(0);
  });

  it('is taken with allowUnpriced, and a budget is not asked for', async () => {
    const { host } = await hostWith({ prices: {} });
    const { snapshot } = await evaluate(host, { configurable: { budget, allowUnpriced: true } });
    expect(snapshot.status).toBe('completed');
    expect((await evaluate(host, {})).snapshot.status).toBe('completed');
  });

  it('allowUnpriced is a boolean', async () => {
    const { host } = await hostWith({});
    const { status, body } = await createEval(host, { configurable: { budget, allowUnpriced: 'yes' } });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('/configurable/allowUnpriced');
  });

  it('is refused for the judge as well', async () => {
    const setup = await openJudgeHost({ config: { prices: {} } });
    open.push(setup);
    const suite = suiteOf([rubricTask({ say: 'x', criteria: ['Yes'] })]);
    expect(await installSuite(setup.host, suite)).toMatchObject({ status: 201 });
    const { status, body } = await createRun(setup.host, { budget });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('local/judge-1');
  });

  it('exit 2 on the command line, and --allow-unpriced goes on', async () => {
    const model = await startModelServer(echoes);
    const folder = temporaryFolder();
    open.push(model, { close: async () => folder.remove() });
    const run = { kind: 'openai', baseUrl: model.baseUrl, model: 'small-1', apiKeyEnv: 'MY_MODEL_KEY' };
    const agents = [{ agentId: 'local.test.bot', version: '1.0.0', run }];
    writeFileSync(join(folder.path, 'touchstone.config.json'), JSON.stringify({ agents }));
    const match = { strategy: 'exact', value: 'a' };
    const tasks = [{ taskId: 'a', input: 'a', expected: { kind: 'golden', match } }];
    const suite = { suiteId: 'local.test.evals.priced', version: '1.0.0', modes: ['golden'], tasks };
    writeFileSync(join(folder.path, 'priced.suite.json'), JSON.stringify(suite));
    const evaluated = (...more: string[]) =>
      runCli(['run', 'priced.suite.json', '--agent', 'local.test.bot', ...more], folder.path, {
        MY_MODEL_KEY: 'sk-123',
      });
    const refused = await evaluated('--budget', '2');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/--budget.*price.*--allow-unpriced/s);
    expect(refused.stderr).not.toContain('configurable');
    expect(await evaluated('--budget', '2', '--allow-unpriced')).toMatchObject({ code: 0 });
    expect(await evaluated()).toMatchObject({ code: 0 });
  }, 60_000);
});
