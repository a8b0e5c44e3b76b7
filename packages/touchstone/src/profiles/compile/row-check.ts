import { createHash } from 'node:crypto';
import { type Issue, isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import type { MaybePromise } from '../../ports/index.js';
import type { DefinitionAgent, NormalRow } from '../types.js';
import { type CompileIssue, compileIssue, type Schemas } from './options.js';
import type { RowPlan } from './plan-row.js';
import { capabilityPointer } from './suite-frame.js';

/** Rows of one dataset share a few schemas; each is looked into once, however many rows hold a copy of it. */
const REMEMBERED = 256;
/** Names the question beside context and files, for an agent whose schema does not name it. */
const QUESTION = 'prompt';

/** Schemas of an agent that cannot be used. */
export async function schemaIssues(
  agent: DefinitionAgent,
  schemas: Schemas | undefined,
): Promise<readonly CompileIssue[]> {
  const found: CompileIssue[] = [];
  for (const [index, capability] of agent.capabilities.entries())
    for (const side of ['inputs', 'outputs'] as const) {
      const schema = capability[side];
      const issues = (schema && (await schemas?.issues(schema))) ?? [];
      const at = `${capabilityPointer(agent, index)}/${side}`;
      found.push(...issues.map((issue) => invalidSchema(issue, at)));
    }
  return found;
}

/** What JSON Schemas find wrong with a row. Asked once for each. */
export function createRowCheck(
  schemas: Schemas | undefined,
): (row: NormalRow, plan: RowPlan) => MaybePromise<readonly CompileIssue[]> {
  if (!schemas) return (row, { capability }) => takenNames(row, capability?.inputs);
  const known = new Map<string, readonly Issue[]>();
  const issuesOf = async (schema: JsonObject): Promise<readonly Issue[]> => {
    const key = createHash('sha256').update(JSON.stringify(schema)).digest('base64');
    const issues = known.get(key) ?? (await schemas.issues(schema));
    if (known.size >= REMEMBERED) known.clear();
    known.set(key, issues);
    return issues;
  };
  return async (row, plan) => {
    // What is not even sound JSON is refused already, and no schema should have to look at it.
    if (plan.issues.length > 0) return [];
    const inputs = plan.capability?.inputs;
    const taken = takenNames(row, inputs);
    return [
      ...taken,
      ...(row.schema ? (await issuesOf(row.schema)).map((issue) => invalidSchema(issue, '/schema')) : []),
      ...(taken.length > 0 ? [] : await inputIssues(row, inputs, schemas)),
    ];
  };
}

const invalidSchema = ({ pointer, message }: Issue, at: string): CompileIssue =>
  compileIssue('invalid_schema', message, `${at}${pointer}`);

/** An agent may call its text just what the row calls something else. */
function takenNames({ input, beside = {} }: NormalRow, schema: JsonObject | undefined): CompileIssue[] {
  const wrapped = wrapInput(input, beside, schema);
  const taken = Object.keys(beside).find((name) => isObject(wrapped) && wrapped[name] !== beside[name]);
  if (taken === undefined) return [];
  const message = `The agent calls its text "${taken}", and so does the row call something beside its input. Write the input as an object.`;
  return [compileIssue('input_mismatch', message, `/${taken}`)];
}

/** Only the first issue of an input: the others mostly follow from it. */
async function inputIssues(
  row: NormalRow,
  schema: JsonObject | undefined,
  { check }: Schemas,
): Promise<readonly CompileIssue[]> {
  if (schema === undefined) return [];
  const input = wrapInput(row.input, row.beside, schema);
  const [issue] = await check(schema, toBody(input));
  if (!issue) return [];
  const message = `Expected an input that fits the agent's input schema: ${issue.message}.${remedyOf(row, input)}`;
  // Below a text that was wrapped there is nothing in the row to point at.
  const pointer = isObject(row.input) ? `/input${issue.pointer}` : '/input';
  return [compileIssue('input_mismatch', message, pointer)];
}

function remedyOf({ input, beside }: NormalRow, wrapped: Json): string {
  if (beside)
    return ' The row brings context or files beside its text: let the schema take them, or drop them.';
  return typeof input === 'string' && wrapped === input
    ? ' A text becomes an object only where the schema has exactly one required member and that is a text; elsewhere write the input as an object.'
    : '';
}

/**
 * A text for an agent that takes an object with one required text becomes that object. Context and files of the row
 * stand beside it; the agent's schema decides whether they are taken.
 */
export function wrapInput(input: Json, beside: JsonObject | undefined, schema: JsonObject | undefined): Json {
  const member = typeof input === 'string' && schema ? soleTextMember(schema) : undefined;
  if (member === undefined) return beside ? { [QUESTION]: input, ...beside } : input;
  // The input comes last: `takenNames` reports what it replaces.
  return { ...beside, [member]: input };
}

function soleTextMember({ type, required, properties }: JsonObject): string | undefined {
  if (type !== 'object' || !Array.isArray(required) || required.length !== 1) return undefined;
  const member: unknown = required[0];
  if (typeof member !== 'string' || !isObject(properties) || !Object.hasOwn(properties, member))
    return undefined;
  const property = properties[member];
  return isObject(property) && property.type === 'string' ? member : undefined;
}
