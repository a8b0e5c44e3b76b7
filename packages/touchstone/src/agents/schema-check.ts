import { createRequire } from 'node:module';
import { type Issue, isUnsound, type JsonObject, validationError } from '@touchstone/protocol';
import { type Body, fromBody } from '@touchstone/protocol/bodies';
import type { Ajv2020 as Ajv, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import type { RE2JS as Re2 } from 're2js';
import type { SchemaCheck } from '../ports/index.js';
import { runBounded, TookTooLong } from './watchdog.js';

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 64;
/** The time to compile a schema grows faster than the schema, whatever the objects in it are for. */
const MAX_OBJECTS = 3_000;
/** A foreign schema may be written to be slow. What takes longer than this is stopped. */
const COMPILE_TIMEOUT_MS = 1_000;
/** Stopped as well, and counts as not matching. */
const CHECK_TIMEOUT_MS = 1_000;

/** Checks bodies against schemas we did not write. Compiles a schema the first time it is met. */
export function createSchemaCheck(): SchemaCheck {
  const compiled = new WeakMap<JsonObject, Check>();
  return (schema, body) => {
    let check = compiled.get(schema);
    if (!check) {
      check = prepare(schema);
      compiled.set(schema, check);
    }
    return check(body);
  };
}

const examined = new WeakMap<object, readonly Issue[]>();

/** Everything that keeps a schema from being used here; empty when it is fine. The same object is examined once. */
export function checkForeignSchema(schema: unknown): readonly Issue[] {
  if (typeof schema !== 'object' || schema === null) return issuesOf(schema);
  let issues = examined.get(schema);
  if (!issues) {
    issues = issuesOf(schema);
    examined.set(schema, issues);
  }
  return issues;
}

function issuesOf(schema: unknown): readonly Issue[] {
  const compiled = compile(schema);
  return 'issue' in compiled ? [compiled.issue] : [];
}

type Check = (body: Body) => readonly Issue[];

/** A refusal is remembered like a check: finding out a second time would take as long. */
function prepare(schema: JsonObject): Check {
  const compiled = compile(schema);
  if ('issue' in compiled)
    return () => {
      throw validationError([compiled.issue]);
    };
  const { validate } = compiled;
  const simple = isSimple(schema);
  return (body) => {
    const value = fromBody(body);
    try {
      const matches =
        simple && isSmall(value) ? validate(value) : runBounded(CHECK_TIMEOUT_MS, () => validate(value));
      return matches ? [] : (validate.errors ?? []).map(issueOf);
    } catch {
      return [
        {
          pointer: '',
          message: 'could not be checked against the schema within the bounds for foreign schemas',
        },
      ];
    }
  };
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

/**
 * Every schema gets a compiler of its own. A shared one remembers the `$id`s inside a schema, so two tenants that use
 * the same id would collide, or read each other's.
 */
function compile(schema: unknown): { readonly validate: ValidateFunction } | { readonly issue: Issue } {
  const issue = capIssue(schema);
  if (issue) return { issue };
  try {
    // Made out here: a library that was interrupted while it loads would stay half loaded.
    const describer = schemaDescriber();
    const compiler = createCompiler({ meta: false, validateSchema: false });
    return {
      validate: runBounded(COMPILE_TIMEOUT_MS, () => compileWith(describer, compiler, schema as JsonObject)),
    };
  } catch (error) {
    if (error instanceof TookTooLong) describesSchemas = undefined;
    return { issue: { pointer: '', message: whyUnusable(error) } };
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

// ------------------------------------------------------------------------------------------------------------- bounds

const SMALL_NODES = 1_000;
const SIMPLE_BYTES = 16 * 1024;
const SLOW_KEYWORDS =
  /"(\$ref|\$dynamicRef|\$recursiveRef|uniqueItems|pattern|patternProperties|unevaluated\w+)":/;

/** Without references and comparisons, work is bounded by schema size times value size. */
function isSimple(schema: JsonObject): boolean {
  const text = JSON.stringify(schema);
  return text.length <= SIMPLE_BYTES && !SLOW_KEYWORDS.test(text);
}

function isSmall(value: unknown): boolean {
  const stack = [value];
  let nodes = 0;
  while (stack.length > 0) {
    const next = stack.pop();
    nodes += 1;
    if (nodes > SMALL_NODES) return false;
    if (typeof next === 'object' && next !== null)
      stack.push(...Object.values(next).slice(0, SMALL_NODES + 1));
  }
  return true;
}
