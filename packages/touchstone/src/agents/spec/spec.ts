import {
  type AgentId,
  asId,
  type JsonObject,
  MODEL_CLASSES,
  type ModelClass,
  type ToolId,
  type Version,
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

/** Throws `validation_error` with all issues, each under its pointer. */
export const parseAgentSpec = (value: unknown, from: SpecSource): AgentSpec =>
  ObjectReader.read(value, '', (reader) => readSpec(reader, from));

function readSpec(reader: ObjectReader, from: SpecSource): AgentSpec {
  reader.require('agentId', 'version', 'run');
  const run = reader.object('run');
  return present<AgentSpec>({
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
    handoff: reader.nested('handoff', readHandoff),
    confidence: reader.nested('confidence', readConfidence),
    memoryShape: reader.nested('memoryShape', readMemoryShape),
    ...(from === 'pack' && {
      pack: reader.nested('pack', readPack),
      requires: reader.texts('requires', { max: 256 }),
    }),
    run: run && readRun(run, from),
  });
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

const readHandoff = (handoff: ObjectReader) =>
  present<NonNullable<AgentSpec['handoff']>>({
    taskSchema: readSchema(handoff, 'taskSchema'),
    returnSchema: readSchema(handoff, 'returnSchema'),
  });

function readSchema(handoff: ObjectReader, name: string): JsonObject | undefined {
  if (!handoff.object(name)) return undefined;
  const schema = handoff.value(name) as JsonObject;
  for (const { pointer, message } of checkForeignSchema(schema)) {
    handoff.issues.push({ pointer: handoff.at(name) + pointer, message });
  }
  return schema;
}

const readConfidence = (confidence: ObjectReader) =>
  present<NonNullable<AgentSpec['confidence']>>({
    defaultThreshold: confidence.number('defaultThreshold', { min: 0, max: 1 }),
  });

const readMemoryShape = (shape: ObjectReader) =>
  present<MemoryShape>({
    scratchpad: shape.flag('scratchpad'),
    conversation: shape.flag('conversation'),
    longTerm: shape.flag('longTerm'),
  });

function readPack(pack: ObjectReader): NonNullable<AgentSpec['pack']> {
  pack.require('name', 'version');
  return { name: pack.text('name', { max: 256 }) ?? '', version: readVersion(pack) ?? asId<Version>('') };
}
