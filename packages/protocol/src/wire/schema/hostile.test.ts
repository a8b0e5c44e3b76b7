import { describe, expect, test } from 'vitest';
import { check } from './validate.js';

const task = { taskId: 'a', input: 1, expected: { kind: 'golden', match: { strategy: 'exact', value: 1 } } };
const suite = { suiteId: 'core.acme.evals.refunds', version: '1.0.0', modes: ['golden'], tasks: [task] };

const pointers = (value: unknown) => check('agent-eval-suite', value).map(({ pointer }) => pointer);

describe('a hostile document', () => {
  test('with a million faults gets a hundred issues and a count', () => {
    const issues = check('agent-eval-suite', { ...suite, tasks: new Array(1_000_000).fill(0) });
    expect(issues).toHaveLength(101);
    expect(issues.at(-1)).toEqual({ pointer: '', message: 'and at least 9900 more' });
    const few = check('agent-eval-suite', { ...suite, tasks: new Array(150).fill(0) });
    expect(few.at(-1)).toEqual({ pointer: '', message: 'and 50 more' });
  });

  test('with a hundred thousand unknown members gets a short list too', () => {
    const members = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`member-${index}`, 1]));
    expect(check('agent-eval-suite', { ...suite, ...members })).toHaveLength(101);
  });

  test('cannot make an issue longer than a line or two with a name', () => {
    const [issue] = check('agent-eval-suite', { ...suite, ['name'.repeat(100_000)]: 1 });
    expect(issue?.pointer.length).toBeLessThan(200);
    expect(issue?.message.length).toBeLessThan(200);
  });

  test('is nested deeper than the stack, in an open place and in a closed one', () => {
    const deep = nested(100_000);
    expect(check('agent-eval-suite', { ...suite, tasks: [{ ...task, input: deep }] })).toEqual([]);
    expect(pointers({ ...suite, modes: [deep, deep] })).toEqual(['/modes/0', '/modes/1']);
  });

  test('brings members called like those of every object', () => {
    const value = JSON.parse('{"__proto__":{"suiteId":"core.a.evals.b"},"constructor":1,"hasOwnProperty":1}');
    expect(pointers(value)).toEqual(
      ['suiteId', 'version', 'modes', 'tasks', '__proto__', 'constructor', 'hasOwnProperty'].map(
        (name) => `/${name}`,
      ),
    );
    expect(Object.hasOwn(Object.prototype, 'suiteId')).toBe(false);
  });

  test('has a member that is there and undefined', () => {
    expect(pointers({ ...suite, version: undefined })).toEqual(['/version']);
  });

  test('that hides members in a prototype is no plain JSON', () => {
    expect(check('error-envelope', Object.create({ error: 'a', message: 'b', more: 1 }))).not.toEqual([]);
    const hidden = Object.assign(Object.create({ more: 1 }), { error: 'a', message: 'b' });
    expect(check('error-envelope', hidden)).toEqual([{ pointer: '', message: 'expected plain JSON' }]);
  });

  test('repeats a place of a roster in another order of members', () => {
    const entry = { persona: 'a', rosterId: 'b', workflows: [] };
    const agent = {
      agentId: 'a',
      persona: 'a',
      label: 'a',
      modelClass: 'a',
      packName: 'a',
      packVersion: '1',
    };
    const inventory = (roster: readonly object[]) => ({
      total: 1,
      agents: [{ ...agent, toolAllowlist: [], hasHandoffSchemas: false, roster }],
    });
    const twice = inventory([entry, { rosterId: 'b', workflows: [], persona: 'a' }]);
    expect(check('agent-inventory-response', inventory([entry]))).toEqual([]);
    expect(check('agent-inventory-response', twice)).toHaveLength(1);
  });
});

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}
