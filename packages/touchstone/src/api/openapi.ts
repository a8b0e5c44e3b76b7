import { ERROR_STATUS, type ErrorCode } from '@touchstone/protocol';
import { type SchemaName, schemas } from '@touchstone/protocol/wire';
import type { Endpoint, ResponseDoc, SchemaDoc } from './endpoint.js';
import { parameterNames } from './paths.js';

type Node = { readonly [key: string]: unknown };

/** The API as OpenAPI 3.1, made from the same table that the router is made from. */
export function openApiDocument(endpoints: readonly Endpoint[], publicUrl?: string): object {
  const used = new Set<SchemaName>(['error-envelope']);
  const paths: { [path: string]: { [method: string]: object } } = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {};
    (paths[endpoint.path] as { [method: string]: object })[endpoint.method.toLowerCase()] = operation(
      endpoint,
      used,
    );
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Touchstone',
      version: '1.0.0',
      description:
        'An evaluation host for AI agents. Speaks OpenWOP v1; its own calls are under /v1/host/touchstone.',
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    // Without one, the address that the document was read from counts.
    ...(publicUrl !== undefined && { servers: [{ url: publicUrl }] }),
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key of this host.' } },
      schemas: componentsOf(used),
    },
  };
}

function operation(endpoint: Endpoint, used: Set<SchemaName>): object {
  const { body } = endpoint;
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    ...(endpoint.auth === 'none' ? { security: [] } : { security: [{ key: [] }], ...scopeOf(endpoint) }),
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint), ...headerParameters(endpoint)],
    ...(body && {
      requestBody: {
        required: body.required,
        content: { [body.mediaType ?? 'application/json']: { schema: schemaOf(body.schema, used) } },
      },
    }),
    responses: { ...successes(endpoint, used), ...refusals(endpoint) },
  };
}

const scopeOf = ({ auth, orScopes }: Endpoint): object =>
  auth === 'key' ? {} : { 'x-scope': auth, ...(orScopes && { 'x-scope-alternatives': orScopes }) };

const pathParameters = ({ path }: Endpoint): readonly object[] =>
  parameterNames(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }));

const queryParameters = ({ parameters }: Endpoint): readonly object[] =>
  Object.entries(parameters).map(([name, { description, schema, required }]) => ({
    name,
    in: 'query',
    ...(required && { required }),
    description,
    schema,
  }));

function headerParameters({ method, operationId }: Endpoint): readonly object[] {
  const header = (name: string, description: string, schema: object) => ({
    name,
    in: 'header',
    description,
    schema,
  });
  const repeatable = header('Idempotency-Key', 'Makes a repetition of this request harmless.', {
    type: 'string',
    minLength: 1,
    maxLength: 255,
  });
  const dedup = header('X-Dedup', 'Refuse while another run of the same scopeId is active.', {
    type: 'string',
    enum: ['enforce'],
  });
  const integrity = header('X-Pack-Sha256', 'The digest the archive must have: sha256-<base64>.', {
    type: 'string',
  });
  const resume = header('Last-Event-ID', 'The last id seen; only later events are sent.', { type: 'string' });
  const conditional = header('If-None-Match', 'The ETag of an earlier answer: 304 if nothing has changed.', {
    type: 'string',
  });
  return [
    ...(method === 'GET' ? [] : [repeatable]),
    ...(operationId === 'createRun' ? [dedup] : []),
    ...(operationId === 'installPack' ? [integrity] : []),
    ...(operationId === 'streamRunEvents' ? [resume] : []),
    ...(operationId === 'getRun' ? [conditional] : []),
  ];
}

const successes = ({ responses }: Endpoint, used: Set<SchemaName>): object =>
  Object.fromEntries(Object.entries(responses).map(([status, doc]) => [status, success(doc, used)]));

function success({ description, schema, mediaType }: ResponseDoc, used: Set<SchemaName>): object {
  if (schema === undefined && mediaType === undefined) return { description };
  const content = schema === undefined ? { schema: { type: 'string' } } : { schema: schemaOf(schema, used) };
  return { description, content: { [mediaType ?? 'application/json']: content } };
}

/** Refusals by status: what any endpoint of this kind may answer, and what this one adds. */
function refusals({ auth, body, method, parameters, refusals: own = [] }: Endpoint): object {
  const codes: ErrorCode[] = [
    ...(body || Object.keys(parameters).length > 0 ? (['validation_error'] as const) : []),
    ...(body ? (['payload_too_large'] as const) : []),
    ...(body && body.mediaType === undefined ? (['unsupported_media_type'] as const) : []),
    ...(auth === 'none' ? [] : (['unauthenticated', 'key_expired', 'key_revoked'] as const)),
    ...(auth === 'none' || auth === 'key' ? [] : (['forbidden'] as const)),
    ...(method === 'GET' ? [] : (['idempotency_key_mismatch', 'idempotency_in_flight'] as const)),
    ...own,
    'rate_limited',
    'internal_error',
  ];
  const byStatus: { [status: number]: ErrorCode[] } = {};
  for (const code of codes) {
    byStatus[ERROR_STATUS[code]] ??= [];
    byStatus[ERROR_STATUS[code]]?.push(code);
  }
  return Object.fromEntries(Object.entries(byStatus).map(([status, some]) => [status, refusal(some)]));
}

const refusal = (codes: readonly ErrorCode[]): object => ({
  description: codes.join(', '),
  content: { 'application/json': { schema: { $ref: componentRef('error-envelope') } } },
});

// ------------------------------------------------------------------------------------------------------------ components

const componentName = (name: SchemaName): string =>
  name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
const componentRef = (name: SchemaName): string => `#/components/schemas/${componentName(name)}`;

function schemaOf(schema: SchemaDoc, used: Set<SchemaName>): object {
  if (typeof schema !== 'string') return withLocalRefs(schema, 'error-envelope', used) as object;
  used.add(schema);
  return { $ref: componentRef(schema) };
}

/** The published schemas that are used, and those they point to, with their pointers turned into the document's own. */
function componentsOf(used: Set<SchemaName>): object {
  const components: { [name: string]: unknown } = {};
  // The set grows while it is walked: a schema that is pointed to is described as well.
  for (const name of used) {
    const { $schema: _, $id: __, ...schema } = schemas[name] as unknown as Node;
    components[componentName(name)] = withLocalRefs(schema, name, used);
  }
  return components;
}

/** A schema that is published by itself has a name of its own, which means nothing inside of another document. */
const isPartOfDocument = ([key, member]: readonly [string, unknown]): boolean =>
  typeof member !== 'string' || (key !== '$id' && key !== '$schema');

function withLocalRefs(value: unknown, within: SchemaName, used: Set<SchemaName>): unknown {
  if (Array.isArray(value)) return value.map((item) => withLocalRefs(item, within, used));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(isPartOfDocument)
      .map(([key, member]) => [
        key,
        key === '$ref' && typeof member === 'string'
          ? localRef(member, within, used)
          : withLocalRefs(member, within, used),
      ]),
  );
}

function localRef(ref: string, within: SchemaName, used: Set<SchemaName>): string {
  const [file = '', fragment = ''] = ref.split('#');
  const name =
    file === '' ? within : (file.replace(/^.*[/:]/, '').replace(/\.schema\.json$/, '') as SchemaName);
  used.add(name);
  return `${componentRef(name)}${fragment}`;
}
