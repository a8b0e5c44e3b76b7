import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { importInto, verdicts } from '../../testing/import-checks.js';
import { lines, shownItems } from '../../testing/import-cli.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

let cli: TestCli;
beforeEach(() => {
  cli = openTestCli();
});
afterEach(() => cli.close());

const content = (text: string): object => ({ parts: [{ text }] });
const order = { name: 'get_order', args: { order_id: '1042' }, id: 'call-1' };
const lookUp = {
  eval_id: 'Late order',
  conversation: [
    {
      invocation_id: 'i-1',
      user_content: content('Where is order 1042?'),
      final_response: content('It arrives on Friday.'),
      intermediate_data: {
        tool_uses: [order],
        tool_responses: [{ name: 'get_order', id: 'call-1', response: { arrives: 'Friday' } }],
      },
    },
  ],
};
const evalSet = (...cases: readonly object[]): object => ({ eval_set_id: 'desk', eval_cases: cases });
const suiteOf = (name: string) => parse(cli.read(`out/${name}.suite.yaml`));
const onlyTrajectory = (more: object = {}): object => ({
  criteria: { tool_trajectory_avg_score: { threshold: 1, ...more } },
});

describe('import adk', () => {
  test('an eval case becomes a task with its tool uses, its reference and its fixtures', async () => {
    cli.write('desk.evalset.json', evalSet(lookUp));
    const document = await importInto(cli, 'desk.evalset.json');
    expect(document).toMatchObject({ format: 'adk', lost: 0, assertions: { all: 2, carried: 2 } });
    expect(suiteOf('desk').thresholds).toEqual({ passScore: 1 });
    expect(suiteOf('desk').tasks).toEqual([
      {
        taskId: 'late-order',
        input: 'Where is order 1042?',
        fixtures: { toolResponses: [{ tool: 'local:get_order', response: { arrives: 'Friday' } }] },
        expect: [
          {
            'tool-sequence': [{ tool: 'local:get_order', inputs: { $exact: { order_id: '1042' } } }],
            order: 'exact',
          },
          { overlap: 'It arrives on Friday.', metric: 'rouge-1', min: 0.8 },
        ],
      },
    ]);
    expect(shownItems(document)).toEqual([
      expect.stringMatching(/^changed desk.evalset.json:1 response_match_score/),
    ]);
  });

  test('events in snake case mean the same as tool uses', async () => {
    const { conversation, ...rest } = lookUp;
    const response = { name: 'get_order', response: { arrives: 'Friday' } };
    const parts = [{ function_call: order }, { function_response: response }];
    const invocation_events = parts.map((part) => ({ author: 'desk', content: { parts: [part] } }));
    cli.write('uses.evalset.json', evalSet(lookUp));
    const intermediate_data = { invocation_events };
    cli.write(
      'events.evalset.json',
      evalSet({ ...rest, conversation: [{ ...conversation[0], intermediate_data }] }),
    );
    await importInto(cli, 'events.evalset.json');
    const { tasks } = suiteOf('events');
    await cli.run('import', 'uses.evalset.json', '-o', 'out', '--force');
    expect(tasks).toEqual(suiteOf('uses').tasks);
  });

  test('members in camel case and events in place of tool uses mean the same', async () => {
    cli.write('snake.evalset.json', evalSet(lookUp));
    cli.write('camel.evalset.json', {
      evalSetId: 'desk',
      evalCases: [
        {
          evalId: 'Late order',
          conversation: [
            {
              userContent: content('Where is order 1042?'),
              finalResponse: content('It arrives on Friday.'),
              intermediateData: {
                invocationEvents: [
                  { author: 'desk', content: { parts: [{ functionCall: order }] } },
                  {
                    author: 'desk',
                    content: {
                      parts: [{ functionResponse: { name: 'get_order', response: { arrives: 'Friday' } } }],
                    },
                  },
                ],
              },
            },
          ],
        },
      ],
    });
    await importInto(cli, 'adk', 'snake.evalset.json');
    const { tasks } = suiteOf('snake');
    await importInto(cli, 'adk', 'camel.evalset.json', '--force');
    expect(suiteOf('camel').tasks).toEqual(tasks);
  });

  test('the older list of queries is one conversation', async () => {
    cli.write('old.test.json', [
      { query: 'Hello', expected_tool_use: [], reference: 'Hello, what can I do?' },
      {
        query: 'Where is order 1042?',
        expected_tool_use: [
          { tool_name: 'get_order', tool_input: { order_id: '1042' }, mock_tool_output: 'Friday' },
        ],
        reference: 'It arrives on Friday.',
      },
    ]);
    const document = await importInto(cli, 'old.test.json');
    expect(document.format).toBe('adk');
    const [task] = suiteOf('old').tasks;
    expect(task.input).toEqual({ turns: ['Hello', 'Where is order 1042?'] });
    expect(task.fixtures.toolResponses).toEqual([{ tool: 'local:get_order', response: 'Friday' }]);
    expect(task.expect[1]).toMatchObject({ overlap: 'It arrives on Friday.', at: '/answer' });
    expect(shownItems(document).map((line) => line.split(' ')[0])).toEqual(['changed', 'changed']);
  });

  test('the match type of the configuration beside the file decides about the order of tools', async () => {
    const twoTools = {
      ...lookUp,
      conversation: [
        {
          ...lookUp.conversation[0],
          intermediate_data: { tool_uses: [order, { name: 'notify', args: {} }] },
        },
      ],
    };
    const call = (toolId: string, inputs: object) => ({ toolId, inputs });
    const get = call('local:get_order', { order_id: '1042' });
    const answers = {
      'as-expected': [get, call('local:notify', {})],
      'other-order': [call('local:notify', {}), get],
      'one-more': [get, call('local:log', {}), call('local:notify', {})],
      'other-inputs': [call('local:get_order', { order_id: '7' }), call('local:notify', {})],
    };
    const cases = Object.keys(answers).map((eval_id) => ({ ...twoTools, eval_id }));
    cli.write('desk.evalset.json', evalSet(...cases));
    cli.write(
      'answers.jsonl',
      lines(Object.entries(answers).map(([taskId, toolCalls]) => ({ taskId, output: '', toolCalls }))),
    );
    const passedWith = async (matchType: object): Promise<string[]> => {
      cli.write('test_config.json', onlyTrajectory(matchType));
      expect((await importInto(cli, 'desk.evalset.json', '--force')).items).toEqual([]);
      const passed = await verdicts(cli, 'out/desk.suite.yaml', 'answers.jsonl');
      return Object.keys(passed).filter((taskId) => passed[taskId]);
    };
    expect(await passedWith({})).toEqual(['as-expected']);
    expect(await passedWith({ match_type: 'IN_ORDER' })).toEqual(['as-expected', 'one-more']);
    expect(await passedWith({ matchType: 'ANY_ORDER' })).toEqual(['as-expected', 'other-order', 'one-more']);
    expect(await passedWith({ match_type: 'EXACT', ignore_args: true })).toEqual([
      'as-expected',
      'other-inputs',
    ]);
  });

  test('a case that expects no tool is failed by a call', async () => {
    const [turn] = lookUp.conversation;
    cli.write(
      'desk.evalset.json',
      evalSet({ ...lookUp, conversation: [{ ...turn, intermediate_data: {} }] }),
    );
    cli.write('test_config.json', onlyTrajectory());
    await importInto(cli, 'desk.evalset.json', 'test_config.json');
    expect(suiteOf('desk').tasks[0].expect).toEqual([{ 'tool-not-called': '*' }]);
  });

  test('scenarios become simulated users, and rubrics sentences for the judge', async () => {
    const rubric = (id: string, textProperty: string, type?: string): object => ({
      rubric_id: id,
      rubric_content: { text_property: textProperty },
      ...(type && { type }),
    });
    cli.write(
      'desk.evalset.json',
      evalSet({
        eval_id: 'refund',
        conversation_scenario: {
          starting_prompt: 'I want my money back.',
          conversation_plan: 'Ask for a refund of order 1042.',
          user_persona: { id: 'NOVICE', description: 'New to the shop.' },
        },
        rubrics: [
          rubric('polite', 'The agent stays polite.'),
          rubric('looks', 'The agent looks the order up.', 'TOOL_USE_QUALITY'),
        ],
      }),
    );
    const document = await importInto(cli, 'desk.evalset.json');
    expect(suiteOf('desk').tasks[0]).toEqual({
      taskId: 'refund',
      input: {
        user: {
          opening: 'I want my money back.',
          goal: 'Ask for a refund of order 1042.',
          persona: 'New to the shop.',
        },
      },
      expect: [
        'The agent stays polite.',
        { judge: { sees: ['calls'] }, says: 'The agent looks the order up.' },
      ],
    });
    expect(document.items.map(({ severity }) => severity)).toEqual(['changed', 'changed']);
  });

  test('states, parts that are no text and unknown criteria are lost, each with its line', async () => {
    cli.write(
      'desk.evalset.json',
      JSON.stringify(
        evalSet({
          ...lookUp,
          conversation: [
            {
              ...lookUp.conversation[0],
              user_content: {
                parts: [{ text: 'Look: ' }, { inline_data: { mime_type: 'image/png', data: 'AA==' } }],
              },
            },
          ],
          session_input: { app_name: 'desk', user_id: 'u', state: { tier: 'gold' } },
          final_session_state: { done: true },
        }),
        null,
        1,
      ),
    );
    cli.write('test_config.json', {
      criteria: { final_response_match_v2: 0.8, safety_v1: 0.8 },
    });
    const document = await importInto(cli, 'desk.evalset.json');
    expect(shownItems(document)).toEqual([
      'lost desk.evalset.json:14 a part of a message that is no text',
      'changed desk.evalset.json:22 final_response_match_v2',
      'lost desk.evalset.json:54 the state of the session before the first turn',
      'lost desk.evalset.json:58 the state of the session after the last turn',
      'lost test_config.json:1 criterion safety_v1: no check does the same',
    ]);
    expect(document.assertions).toEqual({ all: 2, carried: 1 });
    expect((await cli.run('import', 'desk.evalset.json', '-o', 'strict', '--strict')).code).toBe(1);
  });
});
