import { createRequire } from 'node:module';
import { type Issue, isUnsound, type Json, type JsonObject, validationError } from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import type { Ajv2020 as Ajv, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import type { RE2JS as Re2 } from 're2js';
import {
  after,
  type Checker,
  CheckOverLimit,
  type CheckWork,
  type ForeignSchemas,
  type MaybePromise,
  type SchemaCheck,
} from '../ports/index.js';
import { runBounded, TookTooLong, withinProcessorTime } from './watchdog.js';

// Schemas that tenants wrote may be slow to compile and slow to check with, on purpose or not. Only what is tiny is compiled
// here; everything else is for a thread, which can be stopped.

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 64;
/** The time to compile a schema grows faster than the schema, whatever the objects in it are for. */
const MAX_OBJECTS = 3_000;
/** A schema that takes longer to compile is refused, by whomever it is compiled. */
const COMPILE_TIMEOUT_MS = 1_000;
/** Where there is no thread that could be stopped. */
const CHECK_TIMEOUT_MS = 1_000;

/** Checks bodies of one tenant against schemas we did not write. Throws `validation_error` for a schema that cannot be used. */
export const createSchemaCheck =
  (check: Checker): SchemaCheck =>
  (schema, body, signal) => {
    const value = fromBody(body);
    const question = { schema: textOf(schema), value };
    const answer = check(SCHEMA_FIT, question, fitCost(schema, value), signal);
    return after(answer, issuesIn);
  };

/** What keeps a schema from being used whatever it says: how large it is, and how deep. */
export const schemaSizeIssues = (schema: unknown): readonly Issue[] => {
  const issue = capIssue(schema);
  return issue ? [issue] : [];
};

/** Everything that keeps a schema of one tenant from being used here; empty when it is fine. */
export function examineSchema(check: Checker, schema: unknown): MaybePromise<readonly Issue[]> {
  const issue = capIssue(schema);
  return issue ? [issue] : check(SCHEMA_ISSUES, textOf(schema as object), compileCost(schema as JsonObject));
}

/** A checker for commands that do nothing else meanwhile, without any thread. */
export const checkBounded: Checker = (work, input) => {
  try {
    return runBounded(CHECK_TIMEOUT_MS, () => work.run(input));
  } catch (error) {
    if (!(error instanceof TookTooLong)) throw error;
    throw new CheckOverLimit(`The check took longer than ${CHECK_TIMEOUT_MS} ms and was stopped.`);
  }
};

/** The same at once, for schemas of the operator. */
export const checkForeignSchema = (schema: unknown): readonly Issue[] => {
  const issue = capIssue(schema);
  return issue ? [issue] : issuesOf(textOf(schema as object));
};

/** The same for checks that use schemas among other things, which are themselves made at once or in a thread. */
export const foreignSchemas: ForeignSchemas = {
  fit: (schema, body) => issuesIn(fitNow({ schema: textOf(schema), value: fromBody(body) })),
  costUs: (schema, value) => fitCost(schema, value as Json),
};

type SchemaQuestion = { readonly schema: string; readonly value: Json };
type SchemaAnswer = { readonly issues: readonly Issue[] } | { readonly unusable: Issue };

/** Where a value does not fit a schema, which is given as its JSON text: by that a thread knows what it has compiled. */
export const SCHEMA_FIT: CheckWork<SchemaQuestion, SchemaAnswer> = { name: 'schema-fit', run: fitNow };

function fitNow({ schema, value }: SchemaQuestion): SchemaAnswer {
  const compiled = compiledOf(schema);
  if ('issue' in compiled) return { unusable: compiled.issue };
  const { validate } = compiled;
  try {
    return { issues: validate(value) ? [] : (validate.errors ?? []).slice(0, MAX_ISSUES).map(issueOf) };
  } catch (error) {
    // A reference to itself, or one through many others: it goes deeper than the stack.
    if (error instanceof RangeError) return { issues: [TOO_DEEP] };
    throw error;
  }
}

/** What keeps a schema from being used. */
export const SCHEMA_ISSUES: CheckWork<string, readonly Issue[]> = { name: 'schema-issues', run: issuesOf };

/** Enough for an author to see what is wrong. */
const MAX_ISSUES = 100;
const TOO_DEEP: Issue = { pointer: '', message: 'goes deeper than the schema can be followed' };

function issuesIn(fit: SchemaAnswer): readonly Issue[] {
  if ('unusable' in fit) throw validationError([fit.unusable]);
  return fit.issues;
}

function issuesOf(text: string): readonly Issue[] {
  const compiled = compiledOf(text);
  return 'issue' in compiled ? [compiled.issue] : [];
}

function capIssue(schema: unknown): Issue | undefined {
  if (isUnsound(schema, MAX_DEPTH))
    return { pointer: '', message: `A schema may nest ${MAX_DEPTH} levels deep at most.` };
  const bytes = Buffer.byteLength(JSON.stringify(schema) ?? '');
  if (bytes > MAX_BYTES)
    return { pointer: '', message: `A schema may have ${MAX_BYTES} bytes at most, this one has ${bytes}.` };
  if (holdsMoreObjects(schema, MAX_OBJECTS))
    return { pointer: '', message: `A schema may hold ${MAX_OBJECTS} objects at most, subschemas and all.` };
  return undefined;
}

function holdsMoreObjects(schema: unknown, max: number): boolean {
  const stack = [schema];
  let objects = 0;
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) objects += 1;
    if (objects > max) return true;
    for (const value of Object.values(next)) stack.push(value);
  }
  return false;
}

// Ajv speaks of the schema, never of the value under test; its params could name a member of the value and are left out.
const issueOf = (error: ErrorObject): Issue => ({
  pointer: error.instancePath,
  message: error.message ?? 'does not match the schema',
});

function whyUnusable(error: unknown): string {
  if (error instanceof TookTooLong)
    return `This JSON Schema takes too long to compile: ${COMPILE_TIMEOUT_MS} ms were not enough. Make it smaller.`;
  // The compiler's answer to a schema with too many alternatives side by side.
  if (error instanceof RangeError)
    return 'This JSON Schema is too large to compile. Give it fewer alternatives and members.';
  const text = error instanceof Error ? error.message : 'unknown error';
  return `This JSON Schema (2020-12, no remote references, RE2 patterns) cannot be used: ${text.slice(0, 500)}.`;
}

// ------------------------------------------------------------------------------------------------------- the compiler

const require = createRequire(import.meta.url);
let describesSchemas: Ajv | undefined;

type Compilation = { readonly validate: ValidateFunction } | { readonly issue: Issue };

/** The last schemas used, by their text. A refusal is remembered like a schema: finding out again would take as long. */
const compiled = new Map<string, Compilation>();
const KEPT = 64;

function compiledOf(text: string): Compilation {
  const found = compiled.get(text) ?? compile(JSON.parse(text));
  // The one used last stands last, so the first one is the one to go.
  compiled.delete(text);
  compiled.set(text, found);
  const [oldest] = compiled.keys();
  if (compiled.size > KEPT && oldest !== undefined) compiled.delete(oldest);
  return found;
}

/**
 * Every schema gets a compiler of its own. A shared one remembers the `$id`s inside a schema, so two tenants that use
 * the same id would collide, or read each other's.
 */
function compile(schema: unknown): Compilation {
  const issue = capIssue(schema);
  if (issue) return { issue };
  try {
    return {
      validate: withinProcessorTime(COMPILE_TIMEOUT_MS, (ms) => compileWithin(ms, schema as JsonObject)),
    };
  } catch (error) {
    return { issue: { pointer: '', message: whyUnusable(error) } };
  }
}

function compileWithin(timeoutMs: number, schema: JsonObject): ValidateFunction {
  // Made out here: a library that was interrupted while it loads would stay half loaded.
  const describer = schemaDescriber();
  const compiler = createCompiler({ meta: false, validateSchema: false });
  try {
    return runBounded(timeoutMs, () => compileWith(describer, compiler, schema));
  } catch (error) {
    if (error instanceof TookTooLong) describesSchemas = undefined;
    throw error;
  }
}

function compileWith(describer: Ajv, compiler: Ajv, schema: JsonObject): ValidateFunction {
  if (describer.validateSchema(schema) !== true)
    throw new Error(describer.errorsText(describer.errors, { dataVar: 'schema' }));
  return compiler.compile(schema);
}

/** The first question makes it compile its own schemas, which is not the time of any foreign one. */
function schemaDescriber(): Ajv {
  if (describesSchemas) return describesSchemas;
  const describer = createCompiler({ meta: true });
  describer.validateSchema({});
  describesSchemas = describer;
  return describer;
}

// Loaded on first use: most runs have no foreign schema, and the compiler takes longer to load than Node to start.
function createCompiler(options: Options): Ajv {
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const { RE2JS } = require('re2js') as { RE2JS: typeof Re2 };
  // Linear-time patterns. `code` is what Ajv would print if its output were saved to a file; it never is.
  const regExp = Object.assign((pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern)), {
    code: 're2',
  });
  // Tidying the code takes many times longer than making it, and saves next to nothing.
  const code = { regExp, optimize: false };
  return new Ajv2020({ ...options, strict: false, validateFormats: false, logger: false, code });
}

// -------------------------------------------------------------------------------------------------------------- costs

const texts = new WeakMap<object, string>();

/** The schema of an agent is asked about for every task. */
function textOf(schema: object): string {
  const text = texts.get(schema) ?? JSON.stringify(schema);
  texts.set(schema, text);
  return text;
}

/** For a thread, whatever it costs. */
const NOT_AT_ONCE = Number.POSITIVE_INFINITY;
const TINY = 512;
/** Compiling a tiny schema. */
const COMPILING_US = 3_000;
const SLOW_KEYWORDS =
  /"(\$ref|\$dynamicRef|\$recursiveRef|uniqueItems|pattern|patternProperties|unevaluated\w+)":/;

/** Compiling takes a time that is hard to foresee, except for schemas that are tiny and without references and patterns. */
function compileCost(schema: JsonObject): number {
  const text = textOf(schema);
  if (text.length > TINY || SLOW_KEYWORDS.test(text)) return NOT_AT_ONCE;
  return compiled.has(text) ? 0 : COMPILING_US;
}

const SMALL_NODES = 1_000;
const NODE_US = 1;

/** Without references and comparisons, work is bounded by schema size times value size. */
function fitCost(schema: JsonObject, value: Json): number {
  const nodes = countNodes(value, SMALL_NODES);
  return nodes < SMALL_NODES ? compileCost(schema) + nodes * NODE_US : NOT_AT_ONCE;
}

/** How many values are in a value, itself included; counts to `most`. */
function countNodes(value: Json, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let nodes = 1;
  // By index: asked for its names, a list of 40,000 items makes 40,000 texts first.
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && nodes < most; at += 1) nodes += countNodes(value[at], most - nodes);
    return nodes;
  }
  for (const name in value) {
    if (nodes >= most) break;
    nodes += countNodes((value as { readonly [name: string]: Json })[name] as Json, most - nodes);
  }
  return nodes;
}
