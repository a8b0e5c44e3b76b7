import { expect, it } from 'vitest';
import { isForModule } from './early-thread.js';

it.each([
  ['a file of code', 'evals --agent ./agent.mjs', true],
  ['a function of one', 'evals --agent=src/agent.ts:answer', true],
  ['one of several agents', '--agent local.acme.support --agent agent.cjs evals', true],
  ['a suite that names no agent', 'evals/refunds.suite.yaml', true],
  ['an agent by its name', 'refunds.suite.yaml --agent local.acme.support@1.0.0', false],
  ['a program in Python', 'refunds.suite.yaml --agent agent.py', false],
  ['an agent behind HTTP', 'refunds.suite.yaml --agent https://agents.example/a.js', false],
  ['an option without its value', 'refunds.suite.yaml --agent', false],
  ['what may be a definition or a pack', 'support.yaml', false],
  ['a run that is resumed', '--resume', false],
  ['another host', 'refunds.suite.yaml --agent a.mjs --host http://127.0.0.1:8787', false],
  ['answers of a file', 'refunds.suite.yaml --answers=answers.jsonl', false],
  ['a preview', 'refunds.suite.yaml --agent a.mjs --dry-run', false],
])('a thread is started early for %s: run %s: %j', (_, argv, isLikely) => {
  expect(isForModule(argv.split(' '))).toBe(isLikely);
});
