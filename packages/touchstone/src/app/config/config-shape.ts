import { EVAL_MODES, MODEL_CLASSES } from '@touchstone/protocol';
import type { Shape } from '@touchstone/protocol/wire';
import { datasetsShape } from '../../profiles/index.js';
import { gateShape } from './gates.js';

// Names that become part of stored rows. No `~`: that mark is the host's own.
const name: Shape = {
  type: 'string',
  pattern: '^[A-Za-z0-9._-]{1,64}$',
  description: 'letters, digits, ".", "_" and "-", 1 to 64 of them',
};
const text: Shape = { type: 'string', minLength: 1 };
const texts: Shape = { type: 'array', items: text };
const tenants: Shape = { type: 'array', items: name };
const anyObject: Shape = { type: 'object' };
const usd: Shape = { type: 'number', minimum: 0 };

const closed = (properties: { readonly [name: string]: Shape }, required: readonly string[] = []): Shape => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const mapOf = (member: Shape, propertyNames?: Shape): Shape => ({
  type: 'object',
  additionalProperties: member,
  ...(propertyNames && { propertyNames }),
});
const listOf = (items: Shape): Shape => ({ type: 'array', items });

const key = closed(
  {
    key: { type: 'string', pattern: '^[\\x21-\\x7e]{1,512}$', description: 'printable ASCII without spaces' },
    keyHash: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$', description: 'sha256:<64 hex digits>' },
    tenant: name,
    workspace: name,
    principal: name,
    roles: { type: 'array', items: name, minItems: 1 },
  },
  ['tenant', 'roles'],
);

const price = closed({ inputPerMTok: usd, outputPerMTok: usd }, ['inputPerMTok', 'outputPerMTok']);

// Only what makes them entries: the rooms that use them check the rest, with the same words wherever they come from.
const agent: Shape = {
  type: 'object',
  required: ['agentId', 'run'],
  properties: { agentId: text, tenant: name, run: anyObject },
};
const tool: Shape = { type: 'object', required: ['toolId'], properties: { toolId: text, tenants } };

const evalSuite = closed({
  modes: { type: 'array', items: { type: 'string', enum: EVAL_MODES }, uniqueItems: true },
  maxTasksPerSuite: { type: 'integer', minimum: 1 },
  maxCostUsdPerSuite: usd,
});

export const configShape: Shape = closed({
  keys: listOf(key),
  roles: mapOf(
    listOf({
      type: 'string',
      pattern: '^(\\*|[a-z][a-z-]*:[a-z][a-z-]*)$',
      description: '"*" or <area>:<action>',
    }),
    name,
  ),
  providers: mapOf(anyObject),
  modelClasses: mapOf(text, { enum: MODEL_CLASSES }),
  models: mapOf(text),
  prices: mapOf(price),
  judge: closed({ model: text, votes: { type: 'integer', minimum: 1, maximum: 25 } }, ['model']),
  embedder: closed({ model: text }, ['model']),
  safety: closed({ policy: text, judge: text }),
  regression: closed({ tolerance: { type: 'number', minimum: 0, maximum: 1 } }),
  agents: listOf(agent),
  tools: listOf(tool),
  mcpServers: mapOf(anyObject),
  datasets: datasetsShape,
  packs: texts,
  suites: texts,
  trust: anyObject,
  store: {
    type: 'string',
    pattern: '^(sqlite:.+|postgres(ql)?://.+)$',
    description: 'sqlite:<file> or postgres://…',
  },
  evalSuite: { anyOf: [{ const: false }, evalSuite] },
  gates: listOf(gateShape),
  egress: closed({ allowHosts: texts, allowPrivate: { type: 'boolean' } }),
  limits: closed({
    maxRequestBodyBytes: { type: 'integer', minimum: 1024 },
    requestsPerMinute: { type: 'integer', minimum: 1 },
  }),
});
