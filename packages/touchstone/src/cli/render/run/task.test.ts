import { asId, type FindingKind, type TaskId } from '@touchstone/protocol';
import type { TaskView } from '@touchstone/sdk';
import { expect, test } from 'vitest';
import { createInk } from '../text.js';
import { renderTask } from './task.js';

const view: TaskView = {
  taskId: asId<TaskId>('late'),
  score: 0,
  passed: false,
  expected: { kind: 'golden', match: { strategy: 'exact', value: 'yes' } },
  invocations: [
    {
      invocationId: 'inv-0.0',
      input: 'q',
      outcome: 'failed',
      toolCalls: [],
    },
  ],
};
const look = { ink: createInk(false), width: 80 };

test('a task without a score is not shown as failed, also before the log has come to it', () => {
  const shown = renderTask({ ...view, unscored: 'judge_unreachable' }, false, look);
  expect(shown).toContain('? late  unscored');
  expect(shown).toContain('the judge could not be reached');
  expect(shown).not.toContain('0.00');
  expect(renderTask(view, false, look)).toContain('✗ late  0.00');
});

const answered = (output: string, value: string): TaskView => ({
  ...view,
  expected: { kind: 'golden', match: { strategy: 'contains', value: value } },
  invocations: view.invocations.map((one) => ({ ...one, outcome: 'completed', output: output })),
});
const uncut = { ...look, uncut: true };
const joined = (text: string): string => text.replace(/\n +/g, '');

test('one task is shown whole, up to what a screen can take', () => {
  const long = `begin-${'x'.repeat(5000)}-end`;
  expect(joined(renderTask(answered(long, 'nothing'), true, uncut))).toContain(long);
  expect(renderTask(answered(long, 'nothing'), true, look)).not.toContain('-end');
  const endless = renderTask(answered('y'.repeat(30_000), 'nothing'), true, uncut);
  expect(endless).toContain('… and 10,002 more characters: add --json --bodies');
});

test('a long answer that is not exactly right is shown whole, and where it parts', () => {
  const words = `${'the same '.repeat(40)}`;
  const exact: TaskView = {
    ...answered(`${words}wrong`, ''),
    expected: { kind: 'golden', match: { strategy: 'exact', value: `${words}right` } },
  };
  const shown = renderTask(exact, true, uncut);
  expect(shown.match(/the same/g)?.length).toBeGreaterThan(80);
  expect(shown).toMatch(/differ {4}….*right"\n {16}….*wrong"\n +\^+/);
});

test('an answer that matches and is undone by a finding is told as such', () => {
  const findings = [{ kind: asId<FindingKind>('secret-leak'), severity: 'critical' as const }];
  const shown = renderTask(answered('The key is K', 'key'), true, look, {
    taskId: view.taskId,
    score: 0,
    passed: false,
    findings,
  });
  expect(shown).toContain('it matches; a finding set the score to 0.00');
  expect(shown).not.toContain('upper and lower case');
  expect(renderTask(answered('The KEY', 'key'), true, look)).toContain('upper and lower case');
});

test('an error keeps its lines: the class and its message first, then the place', () => {
  const reason = 'TypeError: no such \u001b[2Jorder\nat agent.mjs:12';
  const shown = renderTask(
    { ...view, invocations: view.invocations.map((one) => ({ ...one, reason })) },
    true,
    look,
  );
  expect(shown).toContain('got       TypeError: no such \\u001b[2Jorder\n                at agent.mjs:12\n');
});

test('what the code of the agent printed is shown with the task, only where content may be', () => {
  const printed = {
    ...view,
    invocations: view.invocations.map((one) => ({ ...one, printed: 'one\n  two\n' })),
  };
  expect(renderTask(printed, true, look)).toContain('printed   one\n                  two\n');
  expect(renderTask(printed, false, look)).not.toContain('two');
});
