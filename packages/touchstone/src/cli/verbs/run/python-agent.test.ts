import { describe, expect, it } from 'vitest';
import { hasPython } from '../../../agents/fixtures/has-python.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

const AGENT = `
def answer(question):
    if question == "print":
        print("PRINTED while it thinks")
    if question == "raise":
        raise LookupError("MESSAGE of the error")
    return question.upper()

async def shout(question, ctx):
    return question.upper()
`;

const golden = (taskId: string): object => ({
  taskId,
  input: taskId,
  expected: { kind: 'golden', match: { strategy: 'exact', value: taskId.toUpperCase() } },
});

function project(): TestCli {
  const cli = openTestCli();
  cli.write('agent.py', AGENT);
  cli.write('say.suite.json', {
    suiteId: 'local.test.evals.say',
    version: '1.0.0',
    modes: ['golden'],
    tasks: ['print', 'raise', 'answer'].map(golden),
  });
  return cli;
}

describe.skipIf(!hasPython())('a Python file as agent', () => {
  it('that prints, raises and answers has three right outcomes', async () => {
    const cli = project();
    const { code, out } = await cli.run('run', 'say.suite.json', '--agent', './agent.py', '--json');
    expect(code).toBe(1);
    const { summary, agent } = JSON.parse(out);
    expect(summary.tasks.map(({ score }: { score: number }) => score)).toEqual([1, 0, 1]);
    expect(agent.agentId).toBe('local.cli.agent');
    const shown = await cli.run('show', 'last', '--task', 'raise', '--bodies');
    expect(shown.out).toContain('LookupError: MESSAGE of the error');
    expect(shown.out).toContain('agent.py:6');
  });

  it('is asked by the function that stands behind a colon', async () => {
    const { code } = await project().run('run', 'say.suite.json', '--agent', './agent.py:shout');
    expect(code).toBe(0);
  });

  it('without that function cannot be used, and says so', async () => {
    const { code, out, err } = await project().run('run', 'say.suite.json', '--agent', './agent.py:absent');
    expect(code).toBe(3);
    expect(out + err).toContain('The file has no function "absent".');
  });

  it('that does not load is told with its place, in readable lines', async () => {
    const cli = project();
    cli.write('agent.py', 'import nothing_of_this_name\n');
    const { code, out } = await cli.run('run', 'say.suite.json', '--agent', './agent.py');
    expect([code, out.replaceAll(/\s+/g, ' ')]).toEqual([
      3,
      expect.stringContaining("No module named 'nothing_of_this_name' at agent.py:1"),
    ]);
  });

  it('has another digest when a file that it imports is edited', async () => {
    const cli = project();
    cli.write('agent.py', 'from words import loud\n\ndef answer(question):\n    return loud(question)\n');
    const digestWith = async (words: string): Promise<string> => {
      cli.write('words.py', words);
      const { out } = await cli.run('run', 'say.suite.json', '--agent', './agent.py', '--json');
      return JSON.parse(out).agent.digest;
    };
    const first = await digestWith('def loud(text):\n    return text.upper()\n');
    expect(await digestWith('def loud(text):\n    return text.title()\n')).not.toBe(first);
  });
});
