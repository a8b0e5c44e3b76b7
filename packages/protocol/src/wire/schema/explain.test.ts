// Goal: what `explain` says and what Ajv decides are the same verdict, for every schema of the catalogue; and whatever
// a value holds, none of it is repeated in an issue. Method: values are grown from the schemas themselves, then bent
// in one to three places, so that both fitting and almost fitting values occur.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SchemaName, schemas } from '../catalogue.js';
import { PAYLOAD_TYPES, payloadRef } from '../openwop/payloads/run-event-payloads.js';
import { createCompiler } from './compile.js';
import { explain } from './explain.js';
import { byId, idOf, resolve } from './resolve.js';
import type { Located, SchemaNode } from './schema-node.js';

const NAMES = (Object.keys(schemas) as SchemaName[]).filter((name) => name !== 'run-event-payloads');
const ADDRESSES = [
  ...NAMES.map(idOf),
  ...PAYLOAD_TYPES.map((type) => `${idOf('run-event-payloads')}${payloadRef(type)}`),
];

const verdictOf = createCompiler(byId);

/** Values that fit the schema, or nearly: `not` and conditions are left to chance. */
function grown({ node, base }: Located): fc.Arbitrary<unknown> {
  const at = (inner: SchemaNode) => grown({ node: inner, base });
  if (node.$ref !== undefined) return grown(resolve(node.$ref, base));
  if (node.const !== undefined) return fc.constant(node.const);
  if (node.enum) return fc.constantFrom(...node.enum);
  const alternatives = node.oneOf ?? node.anyOf;
  // Alternatives of a node without members of its own are the whole of it.
  const isWhole = node.type === undefined || (node.type === 'object' && !node.properties);
  if (alternatives && isWhole) return fc.oneof(...alternatives.map(at));
  if (Array.isArray(node.type)) return fc.oneof(...node.type.map((type: string) => at({ ...node, type })));
  switch (node.type) {
    case 'string':
      return grownString(node);
    case 'integer':
      return fc.integer({ min: node.minimum ?? -1000, max: node.maximum ?? 1000 });
    case 'number':
      return fc.double({ min: node.minimum ?? -1000, max: node.maximum ?? 1000, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(at(node.items ?? {}), {
        minLength: node.minItems ?? 0,
        maxLength: (node.maxItems ?? 2) + 1,
      });
    case 'object':
      return grownObject({ node, base });
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function grownString({ pattern, format, minLength = 0, maxLength }: SchemaNode): fc.Arbitrary<string> {
  // fast-check cannot read a lookahead; only the pattern of vendor event types has one.
  if (pattern?.includes('(?!')) return fc.constantFrom('acme.parcel.lost', 'core.parcel', 'parcel');
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 40 });
  if (format === 'uri') return fc.webUrl();
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  const short = fc.string({ minLength, maxLength: minLength + 5, unit: 'binary' });
  // Around the bound, in characters that are two units long: code points count, units do not.
  const long = fc.integer({ min: -1, max: 1 }).map((more) => '𝛑'.repeat((maxLength ?? 0) + more));
  return maxLength === undefined ? short : fc.oneof(short, long);
}

function grownObject({ node, base }: Located): fc.Arbitrary<unknown> {
  const members = Object.entries(node.properties ?? {});
  const known = fc.record(
    Object.fromEntries(members.map(([name, member]) => [name, grown({ node: member, base })])),
    { requiredKeys: [...(node.required ?? [])] },
  );
  const others = node.additionalProperties;
  if (typeof others !== 'object') return known;
  return fc.dictionary(fc.string({ maxLength: 4 }), grown({ node: others, base }), { maxKeys: 3 });
}

/** Puts something else in one place of a value, takes a member away, or adds one. */
function bent(value: unknown, random: fc.GeneratorValue): unknown {
  const put = random(fc.jsonValue, { maxDepth: 1 });
  if (typeof value !== 'object' || value === null || random(fc.nat, { max: 4 }) === 0) return put;
  if (Array.isArray(value)) {
    const index = random(fc.nat, { max: value.length });
    return [...value.slice(0, index), bent(value[index], random), ...value.slice(index + 1)];
  }
  const entries = Object.entries(value);
  const [name, member] = entries[random(fc.nat, { max: entries.length })] ?? ['stranger', put];
  const rest = entries.filter(([other]) => other !== name);
  return Object.fromEntries(
    random(fc.nat, { max: 3 }) === 0 ? rest : [...rest, [name, bent(member, random)]],
  );
}

const bentTimes = (value: unknown, times: number, random: fc.GeneratorValue): unknown =>
  times === 0 ? value : bentTimes(bent(value, random), times - 1, random);

/** Enough for the rarest fault of the largest schema: one that needs five free choices to meet. */
const VERDICT_RUNS = { numRuns: 200 };
const CANARY_RUNS = { numRuns: 60 };

describe.each(ADDRESSES)('%s', (address) => {
  const schema = resolve(address);
  const verdict = verdictOf(address);

  test('has an issue for a value exactly when Ajv refuses it', () => {
    fc.assert(
      fc.property(grown(schema), fc.nat({ max: 3 }), fc.gen(), (value, times, random) => {
        const candidate = bentTimes(value, times, random);
        expect(explain(schema, candidate, resolve).length > 0).toBe(!verdict(candidate));
      }),
      VERDICT_RUNS,
    );
  });

  test('never repeats what a value holds', () => {
    fc.assert(
      fc.property(grown(schema), fc.nat({ max: 3 }), fc.gen(), (value, times, random) => {
        const said = JSON.stringify(explain(schema, poisoned(bentTimes(value, times, random)), resolve));
        expect(said).not.toMatch(/CANARY|7701234/);
      }),
      CANARY_RUNS,
    );
  });
});

/** The same structure with a canary for every text and number. Names of members stay: an issue has to point at them. */
function poisoned(value: unknown): unknown {
  if (typeof value === 'string') return `CANARY ${value}`;
  if (typeof value === 'number') return 7701234.5;
  if (Array.isArray(value)) return value.map(poisoned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, poisoned(member)]));
}
