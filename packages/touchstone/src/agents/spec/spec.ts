import {
  type AgentId,
  type Issue,
  type JsonObject,
  MODEL_CLASSES,
  type ToolId,
  type Version,
} from '@touchstone/protocol';
import {
  anyObject,
  choice,
  closed,
  flag,
  fraction,
  id,
  issueAt,
  jsonObject,
  list,
  plain,
  ruled,
  text,
  type Wire,
} from '@touchstone/protocol/schema';
import valid from 'semver/functions/valid.js';
import type { Checker } from '../../ports/index.js';
import { type Environment, type FillResult, fillIn } from '../environment/fill-in.js';
import { handOver } from '../environment/hand-over.js';
import { checkForeignSchema, examineSchema, schemaSizeIssues } from '../schema-check.js';
import { filled, readAs } from './members.js';
import { isProgram, operatorRuns, type RunSpec, runIssues, type SpecSource } from './run-spec.js';

const agentId = id<AgentId>(undefined, {
  maxLength: 256,
  pattern: '^(core|vendor|community|private|local)\\.[a-z][a-z0-9_\\-]*(\\.[a-z][a-zA-Z0-9_\\-]*)+$',
  title: 'an agent id such as local.acme.support, beginning with core, vendor, community, private or local',
});

const version = ruled(id<Version>(undefined, { minLength: 1, maxLength: 64 }), (value: string) =>
  issueAt('', !isExactVersion(value) && 'expected a semantic version such as 1.0.0'),
);
// The library also accepts a leading "v" and spaces; a version that is compared as text elsewhere may have neither.
const isExactVersion = (version: string): boolean =>
  /^\d/.test(version) && valid(version) !== null && version.trim() === version;

const toolId = id<ToolId>(undefined, {
  maxLength: 256,
  pattern: '^\\S+$',
  title: 'a tool id without spaces, such as local:kb.search',
});
/** The operator's own schema is compiled at once. What others bring is left to `handoffIssues`. */
const ownSchema = ruled(jsonObject(), checkForeignSchema);
const foreignSchema = ruled(jsonObject(), schemaSizeIssues);
const handoffOf = (schema: typeof ownSchema) => closed({}, { taskSchema: schema, returnSchema: schema });

const MEMBERS = {
  persona: filled(200),
  label: filled(100),
  description: filled(500),
  modelClass: choice(MODEL_CLASSES),
  toolAllowlist: list(toolId),
  confidence: closed({}, { defaultThreshold: fraction() }),
  memoryShape: closed({}, { scratchpad: flag(), conversation: flag(), longTerm: flag() }),
};
/** Narrows a boot-time agent to one tenant. */
const tenant = text(undefined, {
  minLength: 1,
  maxLength: 256,
  pattern: '^[^~\\s]+$',
  title: 'a tenant name without "~" or spaces',
});
/** Only from the operator: patterns of files that belong to the agent although its program does not import them. */
const OPERATOR_MEMBERS = { files: list(filled()) };
/** Only from a pack: which one, and what it declares to need of its host. */
const PACK_MEMBERS = {
  pack: closed({ name: filled(256), version }),
  requires: list(filled(256)),
};

/** A tenant's agent gets its tenant from the key that binds it. */
const boundTenant = ruled(plain<string>({}), () =>
  issueAt('', 'the agent belongs to the tenant whose key binds it; leave this member out'),
);

const shapeOf = (from: SpecSource) =>
  closed(
    { agentId, version, run: ruled(anyObject(), (run) => runIssues(run, from)) },
    {
      ...MEMBERS,
      handoff: handoffOf(from === 'operator' || from === 'definition' ? ownSchema : foreignSchema),
      tenant: from === 'tenant' ? boundTenant : tenant,
      ...(from === 'operator' ? OPERATOR_MEMBERS : ({} as typeof OPERATOR_MEMBERS)),
      ...(from === 'pack' ? PACK_MEMBERS : ({} as typeof PACK_MEMBERS)),
    },
  );

const SHAPES = {
  operator: ruled(shapeOf('operator'), ({ files, run }) =>
    issueAt(
      '/files',
      files !== undefined &&
        !isProgram(run) &&
        'only agents of kind module, command and python have files; leave it out',
    ),
  ),
  tenant: shapeOf('tenant'),
  pack: shapeOf('pack'),
  definition: shapeOf('definition'),
};

/** JSON Schema of an agent in a configuration, for editors. */
export function agentEntrySchema(): JsonObject {
  const { properties, ...rest } = JSON.parse(JSON.stringify(SHAPES.operator)) as { properties: JsonObject };
  return { ...rest, properties: { ...properties, run: { anyOf: operatorRuns() } } };
}

/** An agent as a configuration file or a tenant describes it, checked. Plain JSON, so it can be stored and hashed. */
export type AgentSpec = Omit<Wire<ReturnType<typeof shapeOf>>, 'run'> & { readonly run: RunSpec };

/** Throws `validation_error` with all issues, each under its pointer. */
export const parseAgentSpec = (value: unknown, from: SpecSource): AgentSpec =>
  readAs(SHAPES[from], value, from === 'operator' ? { variables: true } : {}) as AgentSpec;

/** An agent whose variables are filled in, so that it can be opened, and those that are not set. */
export function fillInSpec(written: AgentSpec, env: Environment): FillResult<AgentSpec> {
  const { value: run, unset } = fillIn(written.run as JsonObject, env);
  const value = { ...written, run: handOver(run, env) } as unknown as AgentSpec;
  return { value: unset.length > 0 ? value : parseAgentSpec(value, 'operator'), unset };
}

/** What keeps the schemas of a tenant's agent from being used. */
export async function handoffIssues({ handoff = {} }: AgentSpec, check: Checker): Promise<readonly Issue[]> {
  const issues: Issue[] = [];
  for (const member of ['taskSchema', 'returnSchema'] as const) {
    const found = handoff[member] ? await examineSchema(check, handoff[member]) : [];
    for (const issue of found) issues.push({ ...issue, pointer: `/handoff/${member}${issue.pointer}` });
  }
  return issues;
}
