import { child, isObject } from '@touchstone/protocol';

const OF_SUITES = ['$schema', 'defaults', 'rows'];
const OF_TASKS = ['expect', 'tags', 'description'];

/** The places of members that only a suite file may have: they are compiled away before anything else sees a suite. */
export function authoringMembers(value: unknown): readonly string[] {
  if (!isObject(value)) return [];
  const tasks: readonly unknown[] = Array.isArray(value.tasks) ? value.tasks : [];
  return [
    ...namedIn(value, OF_SUITES, ''),
    ...tasks.flatMap((task, at) => namedIn(task, OF_TASKS, child('/tasks', at))),
  ];
}

const namedIn = (value: unknown, names: readonly string[], pointer: string): readonly string[] =>
  isObject(value) ? names.filter((name) => name in value).map((name) => child(pointer, name)) : [];
