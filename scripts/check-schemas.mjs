// Holds our wire schemas (packages/protocol/dist/wire) against the published ones, when those lie beside the repository.
// Prose may differ; structure may not. `$id`, `$schema`, titles and defaults count as structure.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const root = new URL('..', import.meta.url);
const published = new URL('../shared/contract/schemas/', root);
const built = new URL('packages/protocol/dist/wire/index.js', root);

const PROSE = new Set(['description', '$comment', 'examples']);
const UNORDERED = new Set(['required', 'enum', 'type', 'oneOf', 'anyOf', 'allOf']);
/** Members whose keys are names chosen by an author, not keywords. */
const NAMED = new Set(['properties', '$defs', 'dependentRequired', 'patternProperties']);

/** Shapes of which we define a part only: where the part is, every member we define is compared. */
const PARTS = {
  'run-event-payloads': ['/$defs', '/$defs/_typeIndex/properties'],
  capabilities: ['/properties', '/properties/agents/properties'],
};

/** Ours alone: nothing is published to compare them with. */
const OURS = new Set(['run-create']);

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schema without its prose, and with everything whose order means nothing in alphabetical order. */
function structure(node, named = false) {
  if (Array.isArray(node)) return node.map((item) => structure(item));
  if (!isObject(node)) return node;
  const kept = Object.keys(node).filter((key) => named || !PROSE.has(key));
  return Object.fromEntries(kept.sort().map((key) => [key, member(key, node[key], named)]));
}

function member(key, value, named) {
  const part = structure(value, !named && NAMED.has(key));
  return Array.isArray(part) && !named && UNORDERED.has(key) ? part.sort(byText) : part;
}

const byText = (a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

const show = (value) => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
};

function* differences(ours, theirs, path, parts) {
  if (isDeepStrictEqual(ours, theirs)) return;
  if (!isObject(ours) || !isObject(theirs)) {
    yield `${path || '/'}: ours is ${show(ours)}, published is ${show(theirs)}`;
    return;
  }
  const keys = parts.includes(path)
    ? Object.keys(ours)
    : new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  for (const key of keys) yield* differences(ours[key], theirs[key], `${path}/${key}`, parts);
}

function compare(name, schema) {
  const file = new URL(`${name}.schema.json`, published);
  if (!existsSync(file)) return [`no published schema ${name}.schema.json`];
  const theirs = JSON.parse(readFileSync(file, 'utf8'));
  return [
    ...differences(structure(JSON.parse(JSON.stringify(schema))), structure(theirs), '', PARTS[name] ?? []),
  ];
}

async function main() {
  if (!existsSync(published)) {
    console.log(
      '!! SKIPPED: there are no published schemas beside this repository; nothing was compared. !!',
    );
    return 0;
  }
  if (!existsSync(built)) {
    console.error(`${fileURLToPath(built)} is missing. Build first: npm run build.`);
    return 1;
  }
  const { schemas } = await import(built.href);
  const compared = Object.entries(schemas).filter(([name]) => !OURS.has(name));
  const found = compared.flatMap(([name, schema]) => compare(name, schema).map((line) => `${name} ${line}`));
  for (const line of found) console.error(line);
  console.log(found.length > 0 ? `schemas differ: ${found.length}` : `schemas equal: ${compared.length}`);
  return found.length > 0 ? 1 : 0;
}

process.exitCode = await main();
