import {
  type AgentId,
  asId,
  type Issue,
  type JsonObject,
  MODEL_CLASSES,
  type ModelClass,
  type ToolId,
  type Version,
  validationError,
} from '@touchstone/protocol';
import valid from 'semver/functions/valid.js';
import type { MemoryShape } from '../../ports/index.js';
import { checkForeignSchema } from '../schema-check.js';
import { ObjectReader, present } from './object-reader.js';
import { type RunSpec, readRun, type SpecSource } from './run-spec.js';

/** An agent as a configuration file or a tenant describes it, checked. Plain JSON, so it can be stored and hashed. */
export type AgentSpec = {
  readonly agentId: AgentId;
  readonly version: Version;
  /** Narrows a boot-time agent to one tenant. */
  readonly tenant?: string;
  readonly persona?: string;
  readonly label?: string;
  readonly description?: string;
  readonly modelClass?: ModelClass;
  readonly toolAllowlist?: readonly ToolId[];
  readonly handoff?: { readonly taskSchema?: JsonObject; readonly returnSchema?: JsonObject };
  readonly confidence?: { readonly defaultThreshold?: number };
  readonly memoryShape?: MemoryShape;
  /** Only from a pack: which one, and what it declares to need of its host. */
  readonly pack?: { readonly name: string; readonly version: Version };
  readonly requires?: readonly string[];
  readonly run: RunSpec;
};

const AGENT_ID = /^(core|vendor|community|private|local)\.[a-z][a-z0-9_-]*(\.[a-z][a-zA-Z0-9_-]*)+$/;
const AGENT_ID_SHAPE =
  'an agent id such as local.acme.support, beginning with core, vendor, community, private or local';

/** Refuses with every problem listed, each under its pointer. */
export function parseAgentSpec(value: unknown, from: SpecSource): AgentSpec {
  const issues: Issue[] = [];
  const reader = ObjectReader.of(value, '', issues);
  reader.require('agentId', 'version', 'run');
  const run = reader.object('run');
  const spec = present<AgentSpec>({
    agentId: named<AgentId>(
      reader.text('agentId', { max: 256, pattern: AGENT_ID, expected: AGENT_ID_SHAPE }),
    ),
    version: readVersion(reader),
    tenant: readTenant(reader, from),
    persona: reader.text('persona', { max: 200 }),
    label: reader.text('label', { max: 100 }),
    description: reader.text('description', { max: 500 }),
    modelClass: reader.choice('modelClass', MODEL_CLASSES),
    toolAllowlist: readAllowlist(reader),
    handoff: readHandoff(reader),
    confidence: readConfidence(reader),
    memoryShape: readMemoryShape(reader),
    ...(from === 'pack' && { pack: readPack(reader), requires: reader.texts('requires', { max: 256 }) }),
    run: run && readRun(run, from),
  });
  reader.finish();
  if (issues.length > 0) throw validationError(issues);
  return spec;
}

const named = <T extends AgentId | Version>(text: string | undefined): T | undefined =>
  text === undefined ? undefined : asId<T>(text);

function readVersion(reader: ObjectReader): Version | undefined {
  const version = reader.text('version', { max: 64 });
  if (version === undefined) return undefined;
  // The library also accepts a leading "v" and spaces; a version that is compared as text elsewhere may have neither.
  const exact = /^\d/.test(version) && valid(version) !== null && version.trim() === version;
  return exact
    ? asId<Version>(version)
    : reader.refuse('version', 'Expected a semantic version such as 1.0.0.');
}

function readTenant(reader: ObjectReader, from: SpecSource): string | undefined {
  if (from !== 'tenant') {
    return reader.text('tenant', {
      max: 256,
      pattern: /^[^~\s]+$/,
      expected: 'a tenant name without "~" or spaces',
    });
  }
  if (reader.has('tenant')) {
    reader.refuse('tenant', 'The agent belongs to the tenant whose key binds it. Leave this member out.');
  }
  return undefined;
}

function readAllowlist(reader: ObjectReader): readonly ToolId[] | undefined {
  const rules = { max: 256, pattern: /^\S+$/, expected: 'a tool id without spaces, such as local:kb.search' };
  return reader.texts('toolAllowlist', rules)?.map((toolId) => asId<ToolId>(toolId));
}

function readHandoff(reader: ObjectReader): AgentSpec['handoff'] {
  const handoff = reader.object('handoff');
  if (!handoff) return undefined;
  const schemas = present<NonNullable<AgentSpec['handoff']>>({
    taskSchema: readSchema(handoff, 'taskSchema'),
    returnSchema: readSchema(handoff, 'returnSchema'),
  });
  handoff.finish();
  return schemas;
}

function readSchema(handoff: ObjectReader, name: string): JsonObject | undefined {
  if (!handoff.object(name)) return undefined;
  const schema = handoff.value(name) as JsonObject;
  for (const { pointer, message } of checkForeignSchema(schema)) {
    handoff.issues.push({ pointer: handoff.at(name) + pointer, message });
  }
  return schema;
}

function readConfidence(reader: ObjectReader): AgentSpec['confidence'] {
  const confidence = reader.object('confidence');
  if (!confidence) return undefined;
  const defaultThreshold = confidence.number('defaultThreshold', { min: 0, max: 1 });
  confidence.finish();
  return defaultThreshold === undefined ? {} : { defaultThreshold };
}

function readMemoryShape(reader: ObjectReader): MemoryShape | undefined {
  const shape = reader.object('memoryShape');
  if (!shape) return undefined;
  const read = present<MemoryShape>({
    scratchpad: shape.flag('scratchpad'),
    conversation: shape.flag('conversation'),
    longTerm: shape.flag('longTerm'),
  });
  shape.finish();
  return read;
}

function readPack(reader: ObjectReader): AgentSpec['pack'] {
  const pack = reader.object('pack');
  if (!pack) return undefined;
  pack.require('name', 'version');
  const read = {
    name: pack.text('name', { max: 256 }) ?? '',
    version: readVersion(pack) ?? asId<Version>(''),
  };
  pack.finish();
  return read;
}
