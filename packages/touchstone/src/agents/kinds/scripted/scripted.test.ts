import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import { issuesOf } from '../../fixtures/issues-of.js';
import { manualClock } from '../../fixtures/manual-clock.js';
import { openForTest } from '../../fixtures/open-for-test.js';
import { invocationOf, recordingHost } from '../../fixtures/recording-host.js';
import { temporaryFolder } from '../../fixtures/temporary-folder.js';

async function openScript(name: string, content: string) {
  const baseDir = await temporaryFolder();
  await writeFile(join(baseDir, name), content);
  return openForTest({ kind: 'scripted', path: name }, manualClock(), { baseDir });
}

const outputs = async (script: object, inputs: readonly Json[]) => {
  const agent = await openScript('script.json', JSON.stringify(script));
  const answers = [];
  for (const input of inputs) answers.push(await agent.invoke(invocationOf(input), recordingHost()));
  return answers.map((answer) => ('output' in answer ? answer.output : answer.reason));
};

it('an input finds its own reply first, then the next that fits anything, then the last resort', async () => {
  const script = {
    replies: [{ output: 'first' }, { when: { a: 1, b: 2 }, output: 'mine' }, { output: 'second' }],
    otherwise: { output: 'whatever' },
  };
  const inputs = ['x', { b: 2, a: 1 }, 'x', 'x', { a: 1, b: 2 }, 'x'];
  expect(await outputs(script, inputs)).toEqual(['first', 'mine', 'second', 'whatever', 'mine', 'whatever']);
});

it('an input nobody expected fails', async () => {
  expect(await outputs({ replies: [] }, ['x'])).toEqual([expect.stringContaining('no reply for this input')]);
});

it('a script may be YAML', async () => {
  const agent = await openScript('script.yaml', 'replies:\n  - when: { q: 1 }\n    output: [one]\n');
  expect(await agent.invoke(invocationOf({ q: 1 }), recordingHost())).toMatchObject({ output: ['one'] });
});

it('everything that is wrong with a script is listed', async () => {
  const script = {
    replies: [{ output: 1, error: 'both' }, { confidence: 2 }, { toolCalls: [{ inputs: 1 }] }, 7],
    other: {},
  };
  const error = await openScript('script.json', JSON.stringify(script)).catch((reason) => reason);
  expect(issuesOf(error)).toEqual(
    [
      '/replies/0/error',
      '/replies/1/confidence',
      '/replies/2/toolCalls/0/toolId',
      '/replies/3',
      '/other',
    ].map((pointer) => ({ pointer, message: expect.any(String) })),
  );
});

it.each([
  ['script.json', '{'],
  ['script.yaml', '{'],
])('%s that cannot be parsed is refused without being quoted', async (name, content) => {
  await expect(openScript(name, `${content} SECRET`)).rejects.toThrow(/^\/run\/path: (?!.*SECRET)/);
});
