import { child, isObject, typeName, type UnknownObject } from '@touchstone/protocol';
/** One fact of a row: under which name it is known here, and where its author wrote it. */
export type Entry = {
  readonly key: string;
  readonly value: unknown;
  /** Pointer of the object it stands in, and the name it has there. Joined only for whoever asks: few ever do. */
  readonly parent: string;
  readonly name: string;
  /** Why it cannot be used, when its shape rules it out already. */
  readonly flaw?: string;
};

export const placeOf = ({ parent, name }: Entry): string => child(parent, name);

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

/** Null is how other tools write that there is nothing; only an expected value may be null and mean it. */
function membersOf(row: UnknownObject, parent = '', names: Names = {}): readonly Entry[] {
  const entries: Entry[] = [];
  for (const name of Object.keys(row)) {
    const value = row[name];
    const key = Object.hasOwn(names, name) ? (names[name] as string) : name;
    if (isPresent(value) || key === 'expected') entries.push({ key, value, parent, name });
  }
  return entries;
}

const without = (row: UnknownObject, keys: readonly string[]): UnknownObject =>
  Object.fromEntries(Object.entries(row).filter(([key]) => !keys.includes(key)));

function nested(row: UnknownObject, key: string, at = '', names: Names = {}): readonly Entry[] {
  const value = row[key];
  if (!isPresent(value)) return [];
  if (isObject(value)) return membersOf(value, child(at, key), names);
  return [{ key, value, parent: at, name: key, flaw: `Expected an object, got ${typeName(value)}.` }];
}

/** A case whose question and answer are objects: `inputs{prompt, …}` and `expectations{text, …}`. */
const caseEntries = (row: UnknownObject): readonly Entry[] => [
  ...membersOf(without(row, ['inputs', 'expectations'])),
  ...nested(row, 'inputs'),
  ...nested(row, 'expectations', '', { schema_id: 'expected_schema_id', reasoning: 'expected_reasoning' }),
];

/** A task of a suite. Its rubric belongs to the suite it came from: here the profile says what is asked of an answer. */
function taskEntries(row: UnknownObject): readonly Entry[] {
  const { expected } = row;
  return [
    ...membersOf(without(row, ['expected', 'fixtures']), '', { taskId: 'id' }),
    ...(isObject(expected) ? expectedEntries(expected) : nested(row, 'expected')),
    ...nested(row, 'fixtures', '', { toolResponses: 'tools', memorySeed: 'memory' }),
  ];
}

/** Of the two blocks the kind says which one counts; a suite without that one is not valid, and so is its task here. */
function expectedEntries(expected: UnknownObject): readonly Entry[] {
  const { kind, rubric } = expected;
  const others = membersOf(without(expected, ['kind', 'match']), '/expected');
  const flawed = (name: string, flaw: string): Entry => ({
    key: name,
    value: expected[name],
    parent: '/expected',
    name,
    flaw,
  });
  if (kind === 'golden')
    return isPresent(expected.match)
      ? [...others, ...nested(expected, 'match', '/expected', { value: 'expected', strategy: 'match' })]
      : [...others, flawed('match', 'Expected "match" in a task of kind golden: there is none.')];
  if (kind !== 'rubric') return [...others, flawed('kind', 'Expected one of golden, rubric.')];
  return Array.isArray(rubric) && rubric.length > 0
    ? others
    : [flawed('rubric', 'Expected a "rubric" with criteria in a task of kind rubric: there is none.')];
}

const DESCRIBING = ['name', 'description', 'difficulty', 'validation_logic'];
/** Under which name the outcome of a scenario is known, by what decides it. */
const OUTCOMES: Names = {
  exact_match: 'expected',
  fuzzy: 'reference',
  llm_judge: 'reference',
  // Code is never run, and neither it nor what it would give is an answer to compare with: the criteria decide.
  code_eval: 'code_eval',
};

const OUTCOME_NAMES: readonly string[] = ['expected_outcome', 'expected_output'];

const LOGIC = { parent: '', name: 'validation_logic' };

function scenarioEntries(row: UnknownObject): readonly Entry[] {
  const logic = row.validation_logic;
  const outcome = typeof logic === 'string' && Object.hasOwn(OUTCOMES, logic) ? OUTCOMES[logic] : undefined;
  const members = membersOf(without(row, DESCRIBING));
  if (outcome === undefined) {
    const flaw = `Expected one of ${Object.keys(OUTCOMES).join(', ')}.`;
    return [
      { key: 'validation_logic', value: logic, ...LOGIC, flaw },
      ...members.filter(({ key }) => !OUTCOME_NAMES.includes(key)),
    ];
  }
  return [
    ...(outcome === 'code_eval' ? [{ key: outcome, value: true, ...LOGIC }] : []),
    ...members.flatMap((entry) => {
      if (!OUTCOME_NAMES.includes(entry.key)) return [entry];
      return outcome === 'code_eval' ? [] : [{ ...entry, key: outcome }];
    }),
  ];
}
