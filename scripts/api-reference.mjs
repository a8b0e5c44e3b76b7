// Writes docs/api.md from the host's own OpenAPI document, so that the page cannot say what the host does not do.
//   npm run build && node scripts/api-reference.mjs          writes the page
//   npm run build && node scripts/api-reference.mjs --check   fails when the page is not up to date
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const page = fileURLToPath(new URL('../docs/api.md', import.meta.url));
const built = new URL('../packages/touchstone/dist/', import.meta.url);

const INTRO = `# HTTP API

<!-- Made by scripts/api-reference.mjs from the host's OpenAPI document. Do not edit; change the routes and run it again. -->

Every host serves this document for programs at \`GET /v1/openapi.json\`. How to start a host, make keys and set limits is
in [server.md](server.md); what the events mean is in [events.md](events.md).

- Send \`Authorization: Bearer <key>\`. Operations marked "none" need no key; those marked "any key" need no scope.
- Bodies are JSON, in UTF-8, sent as \`application/json\` without \`Content-Encoding\`.
- A refusal is an [ErrorEnvelope](#errorenvelope). Its codes are explained in [errors.md](errors.md).
- Every operation may also refuse with 503 \`unavailable\`, while the store cannot be used or the host is shutting down, whether its "Refuses with" lists it or not.
- Paths that begin with \`/v1/host/touchstone\` are this host's own; the others are those of [OpenWOP](openwop.md).
`;

const SCHEMAS = `## Schemas

These are the protocol's whole shapes. A host fills in what it does: see [getCapabilities](#getcapabilities).
`;

// ------------------------------------------------------------------------------------------------------------ the page

/** The whole page as text: the same document always gives the same bytes. */
export function renderApiReference({ paths, components }) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const schemas = Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    INTRO,
    '## Operations\n',
    operationTable(operations),
    ...operations.map(operationSection),
    SCHEMAS,
    ...schemas.flatMap(([name, schema]) => schemaSections(name, schema)),
  ].join('\n');
}

/** Columns are padded as the formatter pads them, so that formatting the page changes nothing. */
function table(heads, rows) {
  const cells = [heads, ...rows].map((row) => row.map(cell));
  const widths = heads.map((_, column) => Math.max(3, ...cells.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((text, column) => text.padEnd(widths[column])).join(' | ')} |\n`;
  const [head, ...body] = cells.map(line);
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('');
}

const cell = (text) => prose(text).replaceAll('|', '\\|');
/** Placeholders such as <suiteId>@<version> would be taken for HTML. */
const prose = (text) => text.replaceAll(/(?<!`)(?:<\w+>(?:[\w.@-]*(?=<))?)+(?!`)/g, '`$&`');
const code = (text) => `\`${text}\``;
const link = (name) => `[${name}](#${name.toLowerCase()})`;
const linesOf = (...parts) => `${parts.filter((part) => part !== '').join('\n')}`;

function operationTable(operations) {
  const rows = operations.map(({ path, method, operation }) => [
    link(operation.operationId),
    code(`${method} ${path}`),
    scopeOf(operation),
    operation.summary,
  ]);
  return table(['operation', 'request', 'scope', 'does'], rows);
}

function scopeOf({ security, 'x-scope': scope, 'x-scope-alternatives': others = [] }) {
  if (security.length === 0) return 'none';
  return scope === undefined ? 'any key' : [scope, ...others].map(code).join(' or ');
}

function operationSection({ path, method, operation }) {
  return linesOf(
    `### ${operation.operationId}\n`,
    `${code(`${method} ${path}`)} · scope: ${scopeOf(operation)}\n`,
    `${prose(operation.summary)}.\n`,
    parameterTable(operation.parameters),
    bodySection(operation.requestBody),
    responseTable(operation.responses),
    ...largeAnswers(operation.responses),
    `Refuses with ${refusalsOf(operation.responses)}.\n`,
  );
}

function parameterTable(parameters) {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: place, required, schema, description = '' }) => [
    code(name),
    required ? `${place}, required` : place,
    typeOf(schema),
    sentence(description, schema),
  ]);
  return table(['parameter', 'in', 'type', 'meaning'], rows);
}

function bodySection(body) {
  if (!body) return '';
  const [[mediaType, { schema }]] = Object.entries(body.content);
  const need = body.required ? 'Body, required' : 'Body, optional';
  const rows = memberRows(schema);
  return linesOf(
    `${need}${mediaType === 'application/json' ? '' : `, ${mediaType}`}: ${typeOf(schema)}\n`,
    rows.length > 0 ? memberTable(rows) : '',
  );
}

const isRefusal = ([status]) => Number(status) >= 400;

function responseTable(responses) {
  const answers = Object.entries(responses).filter((response) => !isRefusal(response));
  const rows = answers.map(([status, { description, content }]) => [status, description, contentOf(content)]);
  return table(['status', 'meaning', 'body'], rows);
}

/** A refusal's description is the list of its codes. */
const refusalsOf = (responses) =>
  Object.entries(responses)
    .filter(isRefusal)
    .map(([status, { description }]) => `${status} ${description.split(', ').map(code).join(', ')}`)
    .join('; ');

function contentOf(content) {
  if (content === undefined) return 'none';
  const [[mediaType, { schema }]] = Object.entries(content);
  if (mediaType !== 'application/json') return code(mediaType);
  const members = memberRows(schema).map(([name]) => name);
  if (members.length > MOST_IN_A_CELL) return `${typeOf(schema)}, see below`;
  return members.length > 0 ? `${typeOf(schema)} with ${members.join(', ')}` : typeOf(schema);
}

const MOST_IN_A_CELL = 20;

/** An answer with more members than a cell can name has a table of its own. */
function largeAnswers(responses) {
  const schemas = Object.entries(responses)
    .filter((response) => !isRefusal(response))
    .flatMap(([, { content }]) => content?.['application/json']?.schema ?? []);
  return schemas
    .map((schema) => memberRows(schema))
    .filter((rows) => rows.length > MOST_IN_A_CELL)
    .map(memberTable);
}

// ----------------------------------------------------------------------------------------------------------- schemas

function schemaSections(name, schema) {
  const inner = Object.entries(schema.$defs ?? {});
  return [schemaSection(name, schema), ...inner.map(([part, node]) => schemaSection(part, node))];
}

function schemaSection(name, schema) {
  const rows = memberRows(schema);
  const shape = schema.properties ? '' : `${typeOf(schema)}.\n`;
  const words = schema.description ? `${prose(schema.description)}\n` : '';
  return linesOf(`### ${name}\n`, words, shape, rows.length > 0 ? memberTable(rows) : '');
}

const memberTable = (rows) => table(['member', 'type', 'meaning'], rows);

/** One row per member, members of members included: \`a.b\` inside an object, \`a[].b\` inside the items of a list. */
function memberRows(schema, path = '', note = '') {
  const required = new Set(schema.required ?? []);
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    rowsOfMember(member, `${path}${name}`, required.has(name), note),
  );
  return [...own, ...conditionalRows(schema, path)];
}

function rowsOfMember(member, name, required, note) {
  const inner = member.items ? memberRows(member.items, `${name}[].`) : memberRows(member, `${name}.`, note);
  const bare = Object.keys(member).every((key) => ['type', 'properties'].includes(key));
  // A condition repeats the objects on the way to what it adds; only what it adds is worth a row.
  if (note !== '' && bare && inner.length > 0) return inner;
  const meaning = sentence(member.description ?? '', member);
  return [[code(name), typeOf(member) + (required ? ', required' : ''), linesOf(meaning + note)], ...inner];
}

function conditionalRows({ if: condition, then: consequence }, path) {
  const beside = condition?.required?.map(code).join(', ');
  return beside && consequence?.properties ? memberRows(consequence, path, ` Only with ${beside}.`) : [];
}

const sentence = (text, { default: fallback }) =>
  [text, ...(fallback === undefined ? [] : [`Default: ${code(JSON.stringify(fallback))}.`])].join(' ').trim();

/** A type in a few words. */
function typeOf(schema) {
  if (schema.$ref) return link(schema.$ref.split('/').at(-1));
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum) return schema.enum.map((value) => code(value)).join(' | ');
  const choices = schema.anyOf ?? (schema.properties ? undefined : schema.oneOf);
  if (choices) return choices.map(typeOf).join(' or ');
  if (schema.type === 'array') return listOf(schema);
  const bases = [schema.allOf ?? []].flat().filter(({ $ref }) => $ref);
  if (bases.length > 0) return bases.map(typeOf).join(' and ');
  return scalarOf(schema);
}

function listOf({ items = {}, minItems, maxItems, uniqueItems }) {
  const bounds = [boundsOf(minItems, maxItems, 'items'), ...(uniqueItems ? ['no repeats'] : [])];
  const extra = bounds.filter((part) => part !== '').join(', ');
  return `list of ${typeOf(items)}${extra === '' ? '' : ` (${extra})`}`;
}

function scalarOf({ type = 'anything', pattern, format, minLength, maxLength, minimum, maximum }) {
  const name = [type].flat().join(' or ');
  const traits = [
    ...(format ? [format] : []),
    ...(pattern ? [code(pattern)] : []),
    boundsOf(minLength, maxLength, 'characters'),
    boundsOf(minimum, maximum, ''),
  ].filter((part) => part !== '');
  return traits.length > 0 ? `${name} (${traits.join(', ')})` : name;
}

function boundsOf(low, high, unit) {
  const words = unit === '' ? '' : ` ${unit}`;
  if (low !== undefined && high !== undefined) return `${low} to ${high}${words}`;
  if (low === 1 && unit === 'characters') return 'not empty';
  if (low !== undefined) return `at least ${low}${words}`;
  return high === undefined ? '' : `at most ${high}${words}`;
}

// ------------------------------------------------------------------------------------------------------ the document

/** The OpenAPI document of a host with nothing configured, asked without opening a port. */
async function readDocument() {
  const [{ createTouchstone, loadConfig }, { createApp }] = await Promise.all([
    import(new URL('app/index.js', built).href),
    import(new URL('server/app.js', built).href),
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-api-'));
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const clock = { now: () => 0, elapsed: () => 0, sleep: async () => undefined };
  try {
    const config = await loadConfig(undefined, folder);
    const touchstone = await createTouchstone({ config, dataDir: folder, origin: 'cli', log: quiet });
    const app = createApp({ touchstone, config, log: quiet, clock });
    const { body } = await app.inject({ method: 'GET', url: '/v1/openapi.json' });
    await app.close();
    await touchstone.close();
    return JSON.parse(body);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(args) {
  const text = renderApiReference(await readDocument());
  if (!args.includes('--check')) {
    writeFileSync(page, text);
    return 0;
  }
  const same = existsSync(page) && readFileSync(page, 'utf8') === text;
  if (!same) console.error('docs/api.md is not up to date. Run: node scripts/api-reference.mjs');
  return same ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));
