import type { JsonObject } from '@touchstone/protocol';
import { CHECK_NAMES, CHECKS, type CheckName, type CheckSpec } from '@touchstone/protocol/bodies';
import { schemas } from '@touchstone/protocol/wire';
import { ROW_EXPECTS } from './rows.js';

/** As much of a schema as is changed here. */
type ObjectSchema = {
  readonly properties: { readonly [name: string]: JsonObject };
  readonly required?: string[];
};

const described = (description: string, schema: JsonObject = {}): JsonObject => ({ ...schema, description });

/**
 * JSON Schema of a suite file: the wire's, with the members that its author may use besides. Made for editors: what it
 * accepts may still be refused, because a schema cannot say everything; what it refuses is wrong.
 */
export function suiteFileSchema(): JsonObject {
  const wire = JSON.parse(JSON.stringify(schemas['agent-eval-suite'])) as ObjectSchema & JsonObject;
  return {
    ...wire,
    $id: 'urn:touchstone:schema:suite-file',
    title: 'Touchstone suite file',
    description: 'A suite as its author writes it, in JSON or YAML.',
    required: (wire.required ?? []).filter((name) => name !== 'modes' && name !== 'tasks'),
    anyOf: [{ required: ['tasks'] }, { required: ['rows'] }],
    properties: {
      ...wire.properties,
      $schema: described('The schema that an editor checks this file with. Ignored here.', {
        type: 'string',
      }),
      defaults: defaultsSchema(wire),
      rows: ROWS,
      tasks: { ...wire.properties.tasks, items: taskSchema(wire) },
    },
    $defs: { expectation: expectationSchema() },
  };
}

const taskOf = (wire: ObjectSchema): ObjectSchema & JsonObject =>
  wire.properties.tasks?.items as unknown as ObjectSchema & JsonObject;

function taskSchema(wire: ObjectSchema): JsonObject {
  const task = taskOf(wire);
  return {
    ...task,
    required: (task.required ?? []).filter((name) => name !== 'expected'),
    oneOf: [{ required: ['expected'] }, { required: ['expect'] }],
    properties: {
      ...task.properties,
      expect: EXPECT,
      tags: described('Words to choose tasks by, with --tag.', {
        type: 'array',
        items: { type: 'string', minLength: 1 },
      }),
      description: described('What the task is for, for people.', { type: 'string' }),
    },
  };
}

const EXPECT: JsonObject = {
  description: 'What a good answer does, in place of "expected": sentences for the judge, and checks.',
  type: 'array',
  items: { $ref: '#/$defs/expectation' },
};

const defaultsSchema = (wire: ObjectSchema): JsonObject => ({
  description: 'What holds for every task.',
  type: 'object',
  additionalProperties: false,
  properties: { expect: EXPECT, fixtures: taskOf(wire).properties.fixtures ?? {} },
});

const COLUMN: JsonObject = { type: 'string', description: 'A column, or a JSON pointer into the row.' };
const ROWS: JsonObject = {
  description: 'Makes a task of every row of a file, in place of "tasks".',
  type: 'object',
  required: ['file'],
  additionalProperties: false,
  properties: {
    file: described('A .csv, .json or .jsonl file beside the suite.', { type: 'string' }),
    map: {
      type: 'object',
      additionalProperties: false,
      properties: { input: COLUMN, expected: COLUMN, id: COLUMN, tags: COLUMN, context: COLUMN },
    },
    expect: described('How the answer is held against the expected one.', { enum: [...ROW_EXPECTS] }),
  },
};

const expectationSchema = (): JsonObject => ({
  anyOf: [
    described('A sentence for the judge.', { type: 'string', minLength: 1 }),
    ...CHECK_NAMES.map(checkSchema),
  ],
});

/** A check stands under its name with its first argument; the others stand beside it. What they may be, the check says. */
function checkSchema(name: CheckName): JsonObject {
  const spec: CheckSpec = CHECKS[name];
  const others = Object.keys(spec.arguments).filter((argument) => argument !== spec.first);
  return {
    type: 'object',
    required: [name],
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(others.map((argument) => [argument, described(`An argument of ${name}.`)])),
      [name]: described(
        spec.first === undefined ? 'Its arguments.' : `Its "${spec.first}", or its arguments.`,
      ),
      weight: described('How much it counts; 1 when absent.', { type: 'number', minimum: 0 }),
      says: described('The sentence that people read.', { type: 'string', minLength: 1 }),
    },
  };
}
