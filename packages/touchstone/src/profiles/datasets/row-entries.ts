import {
  child,
  defined,
  type Issue,
  isObject,
  type Json,
  typeName,
  type UnknownObject,
} from '@touchstone/protocol';
import type { NormalRow } from '../types.js';

/** One fact of a row: under which name it is known here, and where its author wrote it. */
export type Entry = {
  readonly key: string;
  readonly value: unknown;
  /** Pointer of the object it stands in, and the name it has there. Joined only for an issue: few entries have one. */
  readonly parent: string;
  readonly name: string;
  /** Why it cannot be used, when its shape rules it out already. */
  readonly issue?: string;
};

export const pointerTo = ({ parent, name }: Entry): string => child(parent, name);

type Names = { readonly [key: string]: string };

/**
 * The facts of a row under the names of a flat row, whichever of the known shapes it has. What a shape keeps in nested
 * objects is brought up; what only describes the row is left out.
 */
export function entriesOf(row: UnknownObject): readonly Entry[] {
  if (isPresent(row.taskId)) return taskEntries(row);
  if (isPresent(row.validation_logic)) return scenarioEntries(row);
  const isCase = isPresent(row.expectations) || (isPresent(row.corpus_id) && isObject(row.inputs));
  return isCase ? caseEntries(row) : membersOf(row);
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

type Below = { readonly parent?: string; readonly names?: Names; readonly without?: readonly string[] };

/** Null is how other tools write that there is nothing; only an expected value may be null and mean it. */
function membersOf(
  row: UnknownObject,
  { parent = '', names = {}, without = [] }: Below = {},
): readonly Entry[] {
  const entries: Entry[] = [];
  for (const name of Object.keys(row)) {
    if (without.includes(name)) continue;
    const value = row[name];
    const key = Object.hasOwn(names, name) ? (names[name] as string) : name;
    if (isPresent(value) || key === 'expected') entries.push({ key, value, parent, name });
  }
  return entries;
}

function nested(row: UnknownObject, key: string, { parent = '', names = {} }: Below = {}): readonly Entry[] {
  const value = row[key];
  if (!isPresent(value)) return [];
  if (isObject(value)) return membersOf(value, { parent: child(parent, key), names });
  return [{ key, value, parent, name: key, issue: `Expected an object, got ${typeName(value)}.` }];
}

/** A case whose question and answer are objects: `inputs{prompt, …}` and `expectations{text, …}`. */
const caseEntries = (row: UnknownObject): readonly Entry[] => [
  ...membersOf(row, { without: ['inputs', 'expectations'] }),
  ...nested(row, 'inputs'),
  ...nested(row, 'expectations', {
    names: { schema_id: 'expected_schema_id', reasoning: 'expected_reasoning' },
  }),
];

/** A task of a suite. Its rubric belongs to the suite it came from: here the profile has the criteria. */
const taskEntries = (row: UnknownObject): readonly Entry[] => [
  ...membersOf(row, { without: ['expected', 'fixtures'], names: { taskId: 'id' } }),
  ...(isObject(row.expected) ? expectedEntries(row.expected) : nested(row, 'expected')),
  ...nested(row, 'fixtures', { names: { toolResponses: 'tools', memorySeed: 'memory' } }),
];

/** Of the two blocks the kind says which one counts; a suite without that one is not valid, and so is its task here. */
function expectedEntries(expected: UnknownObject): readonly Entry[] {
  const { kind, rubric } = expected;
  const parent = '/expected';
  const others = membersOf(expected, { parent, without: ['kind', 'match'] });
  const refused = (name: string, issue: string): Entry => ({
    key: name,
    value: expected[name],
    parent,
    name,
    issue,
  });
  if (kind === 'golden')
    return isPresent(expected.match)
      ? [...others, ...nested(expected, 'match', { parent, names: { value: 'expected', strategy: 'match' } })]
      : [...others, refused('match', 'Expected "match" in a task of kind golden: there is none.')];
  if (kind !== 'rubric') return [...others, refused('kind', 'Expected one of golden, rubric.')];
  return Array.isArray(rubric) && rubric.length > 0
    ? others
    : [refused('rubric', 'Expected a "rubric" with criteria in a task of kind rubric: there is none.')];
}

/** Under which name the outcome of a scenario is known, by what decides it. */
const OUTCOMES: Names = {
  exact_match: 'expected',
  fuzzy: 'reference',
  llm_judge: 'reference',
  // Code is never run, and neither it nor what it would give is an answer to compare with: the criteria decide.
  code_eval: 'code_eval',
};

function scenarioEntries(row: UnknownObject): readonly Entry[] {
  const logic = row.validation_logic;
  const outcome = typeof logic === 'string' && Object.hasOwn(OUTCOMES, logic) ? OUTCOMES[logic] : undefined;
  const isOutcome = ({ key }: Entry) => key === 'expected_outcome' || key === 'expected_output';
  const members = membersOf(row, { without: ['name', 'description', 'difficulty', 'validation_logic'] });
  const decider = { value: logic, parent: '', name: 'validation_logic' };
  if (outcome === undefined || outcome === 'code_eval')
    return [
      outcome
        ? { ...decider, key: outcome }
        : {
            ...decider,
            key: 'validation_logic',
            issue: `Expected one of ${Object.keys(OUTCOMES).join(', ')}.`,
          },
      ...members.filter((entry) => !isOutcome(entry)),
    ];
  return members.map((entry) => (isOutcome(entry) ? { ...entry, key: outcome } : entry));
}

type Tool = NonNullable<NormalRow['tools']>[number];
type ToolReading = { readonly tool?: Tool; readonly issues: readonly Issue[] };

/**
 * What the tools of a row answer. A list is in the order of the calls. Maps have one answer a tool; where both maps
 * name one, the recorded answer counts more than the mock.
 */
export function toolsOf(
  list: Entry | undefined,
  outputs: Entry | undefined,
  mocks: Entry | undefined,
): { readonly tools?: readonly Tool[]; readonly issues: readonly Issue[] } {
  if (!list && !outputs && !mocks) return { issues: [] };
  const recorded = [...(list ? toolsInList(list) : []), ...(outputs ? toolsInMap(outputs) : [])];
  const known = new Set(recorded.map(({ tool }) => tool?.tool));
  const mocked = (mocks ? toolsInMap(mocks) : []).filter(({ tool }) => !tool || !known.has(tool.tool));
  const all = [...recorded, ...mocked];
  return { tools: all.flatMap(({ tool }) => tool ?? []), issues: all.flatMap(({ issues }) => issues) };
}

function toolsInList(entry: Entry): readonly ToolReading[] {
  const { value } = entry;
  const at = pointerTo(entry);
  if (!Array.isArray(value)) return [refusedTool(at, `Expected an array of tools, got ${typeName(value)}.`)];
  return value.map((item: unknown, index) => {
    const pointer = child(at, index);
    if (!isObject(item) || typeof item.tool !== 'string')
      return refusedTool(pointer, 'Expected an object with "tool", a text, and "response".');
    const hasOthers = Object.keys(item).some((key) => key !== 'tool' && key !== 'response');
    if (hasOthers) return refusedTool(pointer, 'Expected no members but "tool" and "response".');
    return toolCalled(item.tool, child(pointer, 'tool'), item.response);
  });
}

function toolsInMap(entry: Entry): readonly ToolReading[] {
  const { value } = entry;
  const at = pointerTo(entry);
  if (!isObject(value))
    return [refusedTool(at, `Expected an object of answers by tool, got ${typeName(value)}.`)];
  return Object.entries(value).map(([name, response]) => toolCalled(name, at, response));
}

/** A tool without a scope is a local one. */
function toolCalled(name: string, pointer: string, response: unknown): ToolReading {
  if (name === '' || /\s/.test(name))
    return refusedTool(pointer, 'Expected the name of a tool without spaces.');
  const tool = /^[^:]+:./.test(name) ? name : `local:${name}`;
  return { tool: defined({ tool, response: response as Json | undefined }), issues: [] };
}

const refusedTool = (pointer: string, message: string): ToolReading => ({ issues: [{ pointer, message }] });
