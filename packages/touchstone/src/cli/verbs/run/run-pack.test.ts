import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  AGENT,
  agentEntry,
  manifest,
  openPackCli,
  PACK,
  type PackCli,
  SCRIPT,
  SUITE,
  serveTool,
  suite,
} from '../../testing/pack-cli.js';
import { openTestCli } from '../../testing/test-cli.js';

let desk: PackCli;
beforeEach(() => {
  desk = openPackCli();
});
afterEach(() => desk.close());

const ARCHIVE = `${PACK}-1.0.0.tgz`;

describe('a pack', () => {
  test('runs as a folder, as an archive and by its name', async () => {
    await desk.run('pack', 'build', 'support');
    for (const argument of ['support', ARCHIVE, PACK, `${PACK}@1.0.0`]) {
      const { code, out, err } = await desk.run('run', argument, '--json');
      expect([code, err], argument).toEqual([0, '']);
      expect(JSON.parse(out)).toMatchObject([
        {
          agent: { agentId: AGENT, version: '1.0.0' },
          suite: { ref: `${SUITE}@1.0.0` },
          model: { provider: 'offline', model: 'demo', mock: true },
        },
      ]);
    }
    expect((await desk.run('show', 'last')).out).toContain('model offline/demo (mock)');
  });

  test('in a folder is run as it is now, although its version is the same', async () => {
    expect((await desk.run('run', 'support')).code).toBe(0);
    desk.write('script.json', {
      replies: [{ when: { system: 'briefly' }, text: 'on its way, 9 to 5' }],
      otherwise: { text: 'wrong' },
    });
    expect((await desk.run('run', 'support')).code).toBe(1);
    desk.write('support/prompts/support.md', 'Answer briefly.\n');
    expect((await desk.run('run', 'support')).code).toBe(0);
  });

  test('with several agents runs those with a suite, and names the others', async () => {
    const second = `${PACK}.second`;
    desk.write('support/pack.json', {
      ...manifest(),
      agents: [
        agentEntry(),
        agentEntry({ agentId: second, evalSuiteRef: 'evals/second.json' }),
        { agentId: `${PACK}.silent`, persona: 'Silent', modelClass: 'general', systemPrompt: 'Hush.' },
      ],
    });
    const other = { suiteId: 'vendor.acme.evals.second', targetAgentId: second };
    desk.write('support/evals/second.json', suite(other));
    const all = await desk.run('run', 'support', '--json');
    const ran = JSON.parse(all.out).map((one: { agent: { agentId: string } }) => one.agent.agentId);
    expect(ran).toEqual([AGENT, second]);
    expect(all.err).toBe(`note: ${PACK}.silent brings no suite and is not run.\n`);
    const one = await desk.run('run', 'support', '--agent', `${second}@1.0.0`, '--json');
    expect(JSON.parse(one.out)).toHaveLength(1);
    const silent = await desk.run('run', 'support', '--agent', `${PACK}.silent`);
    expect([silent.code, silent.err]).toEqual([2, expect.stringContaining('"evalSuiteRef"')]);
    const stranger = await desk.run('run', 'support', '--agent', 'local.acme.other');
    expect([stranger.code, stranger.err]).toEqual([2, expect.stringContaining(`Its agents: ${AGENT}`)]);
    const served = await desk.run('run', 'support', '--agent', `${AGENT}@stable`);
    expect([served.code, served.err]).toEqual([2, expect.stringContaining('is whichever version serves')]);
    expect(served.err).toContain(`touchstone run ${SUITE}@1.0.0 --agent ${AGENT}@stable`);
  });

  test('of the configuration is found by its name, and its agent by its id', async () => {
    desk.configure({ packs: ['./support'] });
    desk.write('mine.suite.json', suite({ suiteId: 'local.mine.evals.one', targetAgentId: undefined }));
    expect((await desk.run('run', PACK)).code).toBe(0);
    expect((await desk.run('run', 'mine.suite.json', '--agent', AGENT)).code).toBe(0);
    // Its files are the ones that count, also after it has been run by its name.
    desk.write('support/prompts/support.md', 'Answer briefly.\n');
    desk.write('script.json', { replies: [{ when: { system: 'kindly' }, text: 'on its way, 9 to 5' }] });
    expect((await desk.run('run', 'mine.suite.json', '--agent', AGENT)).code).toBe(1);
    const typo = await desk.run('run', 'mine.suite.json', '--agent', `${PACK}.defalt`);
    expect([typo.code, typo.err]).toEqual([2, expect.stringContaining(`Did you mean ${AGENT}?`)]);
  });

  test('by a name that is not installed is refused with what to do', async () => {
    const nothing = await desk.run('run', 'vendor.acme.nothing');
    expect([nothing.code, nothing.err]).toEqual([2, expect.stringContaining('touchstone pack install')]);
    await desk.run('pack', 'install', 'support');
    expect((await desk.run('run', 'vendor.acme.suport')).err).toContain(`Did you mean ${PACK}?`);
    expect((await desk.run('run', 'gone.tgz')).err).toContain('touchstone pack build');
  });

  test('that is installed is not changed by running other files of the same version', async () => {
    await desk.run('run', 'support');
    // A draft gives way to what is installed.
    expect((await desk.run('pack', 'install', 'support')).code).toBe(0);
    expect((await desk.run('run', 'support')).code).toBe(0);
    desk.write('support/prompts/support.md', 'Be somebody else.');
    const edited = await desk.run('run', 'support');
    expect([edited.code, edited.err]).toEqual([2, expect.stringContaining('raise the version')]);
    expect((await desk.run('run', PACK)).code).toBe(0);
  });

  test('of an older version is run with the suite it came with', async () => {
    await desk.run('pack', 'install', 'support');
    desk.write('support/pack.json', manifest({ version: '1.1.0' }));
    desk.write('support/evals/support.json', suite({ version: '1.1.0' }));
    await desk.run('pack', 'install', 'support');
    for (const [reference, version] of [
      [PACK, '1.1.0'],
      [`${PACK}@1.0.0`, '1.0.0'],
    ] as const) {
      const [run] = JSON.parse((await desk.run('run', reference, '--json')).out);
      expect(run).toMatchObject({ suite: { ref: `${SUITE}@${version}` }, agent: { version } });
    }
  });
});

describe('the model of a run', () => {
  test('is the one asked for, and one that is not there is refused by its flag', async () => {
    const asked = await desk.run('run', 'support', '--model', 'offline/other', '--json');
    expect(JSON.parse(asked.out)[0].model).toEqual({ provider: 'offline', model: 'other', mock: true });
    const { code, err } = await desk.run('run', 'support', '--model', 'nowhere/x');
    expect([code, err]).toEqual([2, expect.stringContaining('--model')]);
  });

  test('answers from the cache the second time, and the run says so wherever it is told', async () => {
    const first = await desk.run('run', 'support', '--cache', '--json');
    expect(JSON.parse(first.out)[0].cacheHits).toBeUndefined();
    const files = ['--junit', 'j.xml', '--markdown', 'm.md'];
    const second = await desk.run('run', 'support', '--cache', ...files);
    expect(second.code).toBe(0);
    const words = '3 model calls came from the cache: this run is no evidence for a gate.';
    expect(second.out).toContain(words);
    expect(readFileSync(join(desk.cwd, 'm.md'), 'utf8')).toContain(words);
    expect(readFileSync(join(desk.cwd, 'j.xml'), 'utf8')).toContain('<property name="cacheHits" value="3"/>');
    expect(JSON.parse((await desk.run('show', 'last', '--json')).out).cacheHits).toBe(3);
  });
});

describe('an interrupted run of a pack', () => {
  test('is continued with the same pack, and refused with another', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const server = await serveTool(() => released.then(() => 'here'));
    try {
      desk.configure({ tools: [server.tool] });
      const live = ['--modes', 'live-shadow', '--concurrency', '1'];
      const running = desk.run('run', 'support', ...live);
      const reader = openTestCli({ cwd: desk.cwd });
      for (let done = 0; done < 1 || server.calls() === 0; )
        done = (await reader.run('show', 'last', '--events')).out.split('eval.scored').length - 1;
      desk.signal('SIGINT');
      expect((await running).code).toBe(130);

      desk.write('support/prompts/support.md', 'Answer briefly.\n');
      const changed = await desk.run('run', '--resume');
      expect([changed.code, changed.err]).toEqual([
        2,
        expect.stringContaining('the pack support has changed'),
      ]);
      release();
      // Another state of the pack is run in between, and the one that was interrupted still goes on as it began.
      expect((await desk.run('run', 'support')).code).toBe(0);
      desk.write('support/prompts/support.md', 'Answer kindly.\n');
      const [, runId = ''] = (await desk.run('runs')).out.match(/(run-\w+) .*interrupted/) ?? [];
      const resumed = await desk.run('run', '--resume', runId, '--json');
      expect(resumed.code).toBe(0);
      expect(JSON.parse(resumed.out)).toMatchObject({
        runId,
        nondeterministic: true,
        summary: { taskCount: 2 },
      });
    } finally {
      release();
      await server.close();
    }
  });
});

describe('another host', () => {
  test('gets the pack before it runs it', async () => {
    desk.configure({ trust: { policy: 'open' } });
    const serving = desk.run('serve', '--port', '0', '--data', 'served');
    await desk.seen('This is the only time the key is shown');
    const [, url = '', key = ''] =
      desk.written.out.match(/listening (\S+)\nexport TOUCHSTONE_KEY=(\S+)\n/) ?? [];
    const person = openPackCli({ env: { TOUCHSTONE_KEY: key } });
    try {
      const missing = await person.run('run', PACK, '--host', url);
      expect([missing.code, missing.err]).toEqual([
        2,
        expect.stringContaining(`No pack ${PACK} is installed.`),
      ]);
      const run = await person.run('run', 'support', '--host', url);
      expect([run.code, run.out]).toEqual([0, expect.stringContaining('PASS')]);
      rmSync(join(person.cwd, 'support'), { recursive: true });
      expect((await person.run('run', PACK, '--host', url)).code).toBe(0);
      desk.write('support/prompts/support.md', 'Answer briefly.\n');
      const other = await desk.run('pack', 'install', join(desk.cwd, 'support'), '--host', url);
      expect([other.code, other.err]).toEqual([
        2,
        expect.stringContaining('TOUCHSTONE_KEY holds no API key'),
      ]);
      const there = ['pack', 'install', join(desk.cwd, 'support'), '--host', url];
      expect((await person.run(...there)).err).toContain('error conflict');
      desk.write('support/pack.json', manifest({ version: '1.1.0' }));
      const installed = await person.run(...there);
      expect([installed.code, installed.out]).toEqual([
        0,
        expect.stringContaining(`${PACK}@1.1.0 on ${url}`),
      ]);
    } finally {
      desk.signal('SIGTERM');
      person.close();
    }
    expect((await serving).code).toBe(0);
  });
});

test('a folder of a pack is watched with all that is in it', async () => {
  const running = desk.run('run', 'support', '--watch');
  await desk.seen('Waiting for a change');
  desk.write('script.json', { replies: [], otherwise: { text: 'wrong' } });
  desk.write('support/prompts/support.md', 'Answer briefly.\n');
  await desk.seen('score 1.00 → 0.00');
  await desk.seen('Ctrl-C ends this.\nWaiting for a change');
  desk.signal('SIGINT');
  expect((await running).code).toBe(1);
});

test('what the configuration names is watched, and so is a pack that is away for a while', async () => {
  const running = desk.run('run', 'support', '--watch');
  await desk.seen('Waiting for a change');
  desk.write('script.json', { replies: [], otherwise: { text: 'wrong' } });
  await desk.seen('score 1.00 → 0.00');
  await desk.seen('Ctrl-C ends this.\nWaiting for a change');
  renameSync(join(desk.cwd, 'support'), join(desk.cwd, 'away'));
  await desk.seen('support@1.0.0.\nWaiting for a change');
  desk.write('script.json', SCRIPT);
  renameSync(join(desk.cwd, 'away'), join(desk.cwd, 'support'));
  await desk.seen('score 0.00 → 1.00');
  await desk.seen('support@1.0.0.\nWaiting for a change. Ctrl-C ends this.\nWaiting for a change');
  desk.signal('SIGINT');
  expect((await running).code).toBe(0);
});

test('without a model for its class, what to set is said, and no option that nobody typed', async () => {
  desk.configure({ modelClasses: {} });
  const { code, err } = await desk.run('run', 'support');
  expect(code).toBe(2);
  expect(err).toContain('Set modelClasses.general.');
  expect(err).toContain('or name a model with --model');
  expect(err).not.toContain('--agent');
  expect((await desk.run('run', 'support', '--model', 'nope/x')).err).toContain('There are: offline, openai');
});

test('a run whose process may be gone is shown with the way to go on', async () => {
  let asked = (): void => undefined;
  let answer = (_value: unknown): void => undefined;
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const server = await serveTool(() => {
    asked();
    return new Promise((resolve) => (answer = resolve));
  });
  desk.configure({ tools: [server.tool] });
  const running = desk.run('run', 'support', '--modes', 'live-shadow');
  await isAsked;
  const { out } = await openTestCli({ cwd: desk.cwd }).run('show', 'last');
  expect(out).toMatch(/touchstone run --resume run-\w+\s+go on, if its process is gone/);
  answer({});
  await running;
  await server.close();
  expect((await desk.run('show', 'last')).out).not.toContain('--resume');
});
