import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '@touchstone/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answer } from '../../../ports/index.js';
import { hasPython } from '../../fixtures/has-python.js';
import { manualClock } from '../../fixtures/manual-clock.js';
import { openForTest } from '../../fixtures/open-for-test.js';
import { invocationOf, recordingHost } from '../../fixtures/recording-host.js';
import { temporaryFolder } from '../../fixtures/temporary-folder.js';

async function start(run: object, baseDir?: string) {
  const agent = await openForTest(run, manualClock(), baseDir === undefined ? {} : { baseDir });
  onTestFinished(() => agent.close());
  const ask = (input: Json = 'hi', host = recordingHost()): Promise<Answer> =>
    agent.invoke(invocationOf(input), host);
  return { agent, ask };
}

async function written(source: string) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'agent.py'), source);
  return { folder, ...(await start({ kind: 'python', path: 'agent.py' }, folder)) };
}

describe.skipIf(!hasPython())('a Python agent', () => {
  const actor = () => start({ kind: 'python', path: 'actor.py', processes: 1 });

  it('keeps what it prints apart from its answer', async () => {
    const { ask } = await actor();
    expect(await ask({ do: 'speak' })).toMatchObject({
      kind: 'answered',
      output: 'spoken',
      printed: 'on stdout\non stderr\n',
    });
  });

  it('fails with the type, the message and the place of an exception, and goes on in the same process', async () => {
    const { ask } = await start({ kind: 'python', path: 'counter.py', processes: 1 });
    expect(await ask('first')).toMatchObject({ output: 1 });
    expect(await ask('raise')).toEqual({
      kind: 'failed',
      reason: "KeyError: 'nothing of this name'\nat counter.py:8",
    });
    expect(await ask('third')).toMatchObject({ output: 3 });
  });

  it('may be a coroutine', async () => {
    const { ask } = await start({ kind: 'python', path: 'actor.py', export: 'wait' });
    expect(await ask({ value: 7 })).toMatchObject({ kind: 'answered', output: 7 });
  });

  it('may leave the context out', async () => {
    const { ask } = await written('def answer(question):\n    return question.upper()\n');
    expect(await ask('hi')).toMatchObject({ output: 'HI' });
  });

  it('fails when it ends its process, and the next task gets another one', async () => {
    const { ask } = await actor();
    expect(await ask({ do: 'end' })).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining("The agent's process exited with code 3"),
    });
    expect(await ask({ do: 'echo', value: 1 })).toMatchObject({ output: 1 });
  });

  it('fails when its answer holds a number that JSON cannot write', async () => {
    const { ask } = await actor();
    expect(await ask({ do: 'odd' })).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('ValueError'),
    });
  });

  it('that does not load says where, before and when it is asked', async () => {
    const { agent, ask } = await written('import json\nimport no_such_module\n');
    const reason =
      "Its file does not load: ModuleNotFoundError: No module named 'no_such_module'\nat agent.py:2";
    expect(await agent.loadIssue?.()).toBe(reason);
    expect(await ask()).toEqual({ kind: 'failed', reason });
  });

  it('without the function that its entry names does not load, and is told which there are', async () => {
    const { ask } = await written('def reply(question):\n    return question\n');
    expect(await ask()).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('The file has no function "answer". It has: reply.'),
    });
  });

  it('imports what lies beside it', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'words.py'), 'GREETING = "hello"\n');
    await writeFile(
      join(folder, 'agent.py'),
      'from words import GREETING\ndef answer(_):\n    return GREETING\n',
    );
    const { ask } = await start({ kind: 'python', path: 'agent.py' }, folder);
    expect(await ask()).toMatchObject({ output: 'hello' });
  });

  it('is not scored when there is no such interpreter', async () => {
    const { ask } = await start({ kind: 'python', path: 'actor.py', python: 'no-such-python' });
    expect(await ask()).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('"no-such-python" was not found'),
    });
  });

  it('whose file has changed answers nothing from a process that was started later', async () => {
    const { folder, ask } = await written(
      'import os\ndef answer(given):\n    if given == "end":\n        os._exit(1)\n    return 1\n',
    );
    expect(await ask('end')).toMatchObject({ kind: 'failed' });
    await writeFile(join(folder, 'agent.py'), 'def answer(given):\n    return 2\n');
    await expect(ask('hi')).rejects.toThrow("The agent's files have been written to since it was opened.");
  });
});

describe('a command that speaks in lines', () => {
  const node = (script: string) =>
    start({
      kind: 'command',
      command: process.execPath,
      args: ['-e', script],
      protocol: 'lines',
      processes: 1,
    });
  const EACH_LINE = 'require("readline").createInterface({input: process.stdin}).on("line", (line) => ';

  it('keeps its process from task to task', async () => {
    const { ask } = await node(`let n = 0; ${EACH_LINE} console.log(JSON.stringify({output: ++n})))`);
    expect([await ask(), await ask(), await ask()]).toMatchObject([
      { output: 1 },
      { output: 2 },
      { output: 3 },
    ]);
  });

  it('can report an error, which is its answer', async () => {
    const { ask } = await node(
      `${EACH_LINE} console.log(JSON.stringify({error: {type: 'Oops', message: 'no', at: 'x.rb:3'}})))`,
    );
    expect(await ask()).toEqual({ kind: 'failed', reason: 'Oops: no\nat x.rb:3' });
  });

  it('that writes more lines than it was asked for is started anew, so that no task gets the answer to another', async () => {
    const { ask } = await node(
      `let n = 0; ${EACH_LINE} process.stdout.write(JSON.stringify({output: ++n}) + '\\n"more"\\n'))`,
    );
    expect([await ask(), await ask()]).toMatchObject([{ output: 1 }, { output: 1 }]);
  });

  it('fails when a line is not JSON, with its beginning', async () => {
    const { ask } = await node(`${EACH_LINE} console.log('hello'))`);
    expect(await ask()).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('begins with: "hello"'),
    });
  });
});
