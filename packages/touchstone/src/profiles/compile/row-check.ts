import { createHash } from 'node:crypto';
import { type Issue, isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import type { NormalRow, ProfiledAgent } from '../types.js';
import type { Schemas } from './options.js';
import type { RowPlan } from './plan-row.js';
import { capabilityPointer } from './suite-frame.js';
import type { CompileIssue } from './trouble.js';
import { wrapInput } from './wrap-input.js';

/** What only somebody who can use JSON Schemas finds wrong with a row. Asked once for each. */
export type RowCheck = (row: NormalRow, plan: RowPlan) => readonly CompileIssue[];

/** Rows of one dataset share a few schemas; each is looked into once, however many rows hold a copy of it. */
const REMEMBERED = 256;

/** Schemas of an agent that nobody could use. */
export const schemaIssues = (agent: ProfiledAgent, schemas: Schemas | undefined): readonly CompileIssue[] =>
  agent.capabilities.flatMap((capability, index) =>
    (['inputs', 'outputs'] as const).flatMap((side) => {
      const schema = capability[side];
      const issues = (schema && schemas?.issues(schema)) ?? [];
      return issues.map((issue) => invalidSchema(issue, `${capabilityPointer(agent, index)}/${side}`));
    }),
  );

export function createRowCheck(schemas: Schemas | undefined): RowCheck {
  if (!schemas) return (row, { capability }) => takenNames(row, capability?.inputs);
  const known = new Map<string, readonly Issue[]>();
  const issuesOf = (schema: JsonObject): readonly Issue[] => {
    const key = createHash('sha256').update(JSON.stringify(schema)).digest('base64');
    const issues = known.get(key) ?? schemas.issues(schema);
    if (known.size >= REMEMBERED) known.clear();
    known.set(key, issues);
    return issues;
  };
  return (row, plan) => {
    // What is not even sound JSON is refused already, and no schema should have to look at it.
    if (plan.issues.length > 0) return [];
    const { schema } = row;
    const inputs = plan.capability?.inputs;
    const taken = takenNames(row, inputs);
    return [
      ...taken,
      ...(schema ? issuesOf(schema).map((issue) => invalidSchema(issue, '/schema')) : []),
      ...(taken.length > 0 ? [] : inputIssues(row, inputs, schemas)),
    ];
  };
}

const invalidSchema = ({ pointer, message }: Issue, at: string): CompileIssue => ({
  pointer: `${at}${pointer}`,
  message,
  code: 'invalid_schema',
});

/** An agent may call its text just what the row calls something else. */
function takenNames({ input, beside = {} }: NormalRow, schema: JsonObject | undefined): CompileIssue[] {
  const wrapped = wrapInput(input, beside, schema);
  const taken = Object.keys(beside).find((name) => isObject(wrapped) && wrapped[name] !== beside[name]);
  if (taken === undefined) return [];
  const message = `The agent calls its text "${taken}", and so does the row call something beside its input. Write the input as an object.`;
  return [{ pointer: `/${taken}`, message, code: 'input_mismatch' }];
}

/** One word about an input is enough: everything else that is wrong with it mostly follows from the first. */
function inputIssues(row: NormalRow, schema: JsonObject | undefined, { check }: Schemas): CompileIssue[] {
  if (schema === undefined) return [];
  const input = wrapInput(row.input, row.beside, schema);
  const [issue] = check(schema, toBody(input));
  const code = 'input_mismatch';
  if (!issue) return [];
  const message = `Expected an input that fits the agent's input schema: ${issue.message}.${remedyOf(row, input)}`;
  // Below a text that was wrapped there is nothing in the row to point at.
  return [{ pointer: isObject(row.input) ? `/input${issue.pointer}` : '/input', message, code }];
}

function remedyOf({ input, beside }: NormalRow, wrapped: Json): string {
  if (beside)
    return ' The row brings context or files beside its text: let the schema take them, or drop them.';
  return typeof input === 'string' && wrapped === input
    ? ' A text becomes an object only where the schema has exactly one required member and that is a text; elsewhere write the input as an object.'
    : '';
}
