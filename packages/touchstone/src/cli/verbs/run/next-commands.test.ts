import { expect, test } from 'vitest';
import { DEFAULT_DATA } from '../../io.js';
import { resultOf } from '../../testing/results.js';
import { openTestCli } from '../../testing/test-cli.js';
import { nextCommands, resumeWords } from './report.js';

const desk = openTestCli();
desk.close();
const context = { io: desk.io, settings: { data: DEFAULT_DATA, json: false, color: false } };

test('a recorded suite is offered with the agent, the model and the tasks it was recorded with', () => {
  const [next] = nextCommands(context, resultOf({ a: true, b: true }, { recorded: 'my evals/seen.yaml' }), {
    agent: './agent.mjs',
    model: 'local/small-1',
    only: ['a', 'b'],
    modes: ['live-shadow'],
  });
  expect(next?.command).toBe(
    "touchstone run 'my evals/seen.yaml' --agent ./agent.mjs --only a,b --model local/small-1",
  );
});

test('a run is resumed with what says where its results go, and without what is planned', () => {
  const words = resumeWords('run-1', {
    record: 'seen.yaml',
    junit: 'r.xml',
    markdown: "it's.md",
    bodies: true,
    conclusive: true,
    repeats: 3,
    keyEnv: 'TOUCHSTONE_KEY',
  });
  expect(words).toBe(
    "run --resume run-1 --record seen.yaml --junit r.xml --markdown 'it'\\''s.md' --bodies --conclusive",
  );
  expect(resumeWords('run-1', { host: 'http://h', keyEnv: 'K' })).toBe(
    'run --resume run-1 --host http://h --key-env K',
  );
});
