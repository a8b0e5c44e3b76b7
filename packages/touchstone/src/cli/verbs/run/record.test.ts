import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asId, type Json, type TaskId, type ToolId } from '@touchstone/protocol';
import { fromBody, type Task, type ToolCallBody, toBody } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Suite } from '../../../ports/index.js';
import { parseSuite, readSuite, suiteDocument } from '../../../suites/parse-suite.js';
import { AGENT, openPackCli, serveTool, suite } from '../../testing/pack-cli.js';
import { recordSuite, suiteText } from './record-run.js';

const LIVE = ['--modes', 'live-shadow', '--record'];

describe('--record', () => {
  test.each(['seen.suite.json', 'seen.suite.yaml'])(
    'to %s writes a suite that gives the same scores without the tools',
    async (file) => {
      const desk = openPackCli();
      const server = await serveTool((call) => ({ answer: call }));
      desk.configure({ tools: [server.tool] });
      const live = await desk.run('run', 'support', ...LIVE, file);
      expect(live.code).toBe(0);
      expect(live.out).toContain('Live tools and memory were used: scores may differ next time.');
      expect(live.err).toContain(`Recorded 1 tool response of 2 tasks in ${file}, as`);
      await server.close();

      const recorded = readSuite(readFileSync(join(desk.cwd, file), 'utf8'), { file });
      expect(recorded.head).toMatchObject({ version: '1.0.1', modes: ['golden'], targetAgentId: AGENT });
      expect(recorded.tasks.map(({ fixtures }) => fixtures)).toEqual([
        { toolResponses: [] },
        { toolResponses: [{ tool: 'local:kb.search', response: { answer: 1 } }] },
      ]);
      const scores = async () => {
        const { summary, nondeterministic } = JSON.parse((await desk.run('show', 'last', '--json')).out);
        const tasks = summary.tasks.map((task: { taskId: string; score: number }) => [
          task.taskId,
          task.score,
        ]);
        return { tasks, nondeterministic };
      };
      const before = await scores();
      expect((await desk.run('run', file, '--agent', AGENT)).code).toBe(0);
      expect([before.nondeterministic, await scores()]).toEqual([true, { tasks: before.tasks }]);
      expect(server.calls()).toBe(1);
      desk.close();
    },
  );

  test('says what a fixture cannot say', async () => {
    const desk = openPackCli();
    const twice = { toolId: 'local:kb.search', inputs: {} };
    desk.write('script.json', {
      replies: [{ when: { contains: 'parcel' }, toolCalls: [twice, twice] }],
      otherwise: { text: 'on its way, 9 to 5' },
    });
    const server = await serveTool((call) => (call === 1 ? 'found' : undefined));
    desk.configure({ tools: [server.tool] });
    const { code, err } = await desk.run('run', 'support', ...LIVE, 'seen.json');
    await server.close();
    expect(code).toBe(0);
    expect(err).toContain('warning: task parcel: some calls of local:kb.search failed');
    desk.close();
  });

  test('is refused before anything runs where it could not be kept', async () => {
    const desk = openPackCli();
    desk.write('there.json', 'mine');
    const refusals: [string[], string][] = [
      [['--record', 'new.json'], 'mode live-shadow only'],
      [['--modes', 'golden', '--record', 'new.json'], 'mode live-shadow only'],
      [[...LIVE, 'there.json'], 'there.json is there'],
      [[...LIVE, 'new.txt'], '.json, .yaml or .yml'],
      [[...LIVE, 'there.json/new.json'], 'cannot be written'],
      [[...LIVE, 'new.json', '--watch'], '--watch cannot be combined with --record'],
      [[...LIVE, 'new.json', '--host', 'http://127.0.0.1:1'], '--record cannot be combined with --host'],
    ];
    for (const [options, words] of refusals) {
      const { code, err } = await desk.run('run', 'support', ...options);
      expect([code, err], words).toEqual([2, expect.stringContaining(words)]);
    }
    expect(readFileSync(join(desk.cwd, 'there.json'), 'utf8')).toBe('mine');
    expect(existsSync(join(desk.cwd, 'new.json'))).toBe(false);
    expect((await desk.run('runs', '--json')).out).toContain('"items": []');
    desk.close();
  });
});

describe('a recorded suite', () => {
  const call = (tool: string, status: ToolCallBody['status'], outcome: number): ToolCallBody => ({
    callId: asId(`inv-0.0.${outcome}`),
    toolId: asId<ToolId>(tool),
    status,
    inputs: toBody({}),
    ...(status === 'ok' && { outcome: toBody(outcome) }),
  });
  const calls = fc.array(
    fc.tuple(fc.constantFrom('a:x', 'b:y', 'c:z'), fc.constantFrom('ok', 'error', 'forbidden'), fc.nat()),
  );
  const original: Suite = parseSuite(suite({ modes: ['live-shadow'], thresholds: { passScore: 0.5 } }));

  test('holds every answer in the order it was given, and no failure', () => {
    fc.assert(
      fc.property(calls, (made) => {
        const toolCalls = made.map(([tool, status, outcome]) => call(tool, status, outcome));
        const { suite: recorded, mixed } = recordSuite(original, new Map([['hours', { toolCalls }]]));
        const [hours, parcel] = parseSuite(suiteDocument(recorded)).tasks as [Task, Task];
        expect(
          hours.fixtures?.toolResponses?.map(({ tool, response }) => [tool, response && fromBody(response)]),
        ).toEqual(made.filter(([, status]) => status === 'ok').map(([tool, , outcome]) => [tool, outcome]));
        const has = (tool: string, status: string) => made.some(([t, s]) => t === tool && s === status);
        expect(new Set(mixed.map(({ tool }) => tool))).toEqual(
          new Set(['a:x', 'b:y', 'c:z'].filter((tool) => has(tool, 'ok') && has(tool, 'error'))),
        );
        expect(parcel).toEqual(original.tasks[1]);
      }),
    );
  });

  test('is written so that reading it gives the same suite, whatever the tools answered', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ stringUnit: 'binary' }),
        fc.constantFrom('a.yaml', 'a.json'),
        async (value, file) => {
          const sound = JSON.parse(JSON.stringify(value)) as Json;
          const toolCalls = [{ ...call('a:x', 'ok', 0), outcome: toBody(sound) }];
          const { suite: recorded } = recordSuite(original, new Map([['hours', { toolCalls }]]));
          const text = await suiteText(recorded, file);
          expect(suiteDocument(readSuite(text, { file }))).toEqual(suiteDocument(recorded));
        },
      ),
    );
  });

  test('keeps what it is, but for its version and the mode that went live', () => {
    const { suite: recorded } = recordSuite(original, new Map());
    expect(recorded.head).toMatchObject({
      version: '1.0.1',
      modes: ['golden'],
      thresholds: { passScore: 0.5 },
    });
    expect(recorded.tasks).toEqual(original.tasks);
  });

  test('remembers what was read, and lets none of it expire', () => {
    const entry = { id: 'm1', content: 'Likes tea.', tags: ['taste'], createdAt: '2026-01-01T00:00:00.000Z' };
    const memory = [{ ...entry, expiresAt: '2026-01-02T00:00:00.000Z' }];
    const taskId = asId<TaskId>('hours');
    const { suite: recorded } = recordSuite(original, new Map([[taskId, { toolCalls: [], memory }]]));
    expect(recorded.tasks[0]?.fixtures).toEqual({ toolResponses: [], memorySeed: [entry] });
  });
});
