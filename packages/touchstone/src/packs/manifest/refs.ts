import {
  type ErrorCode,
  HostError,
  type Issue,
  isHostError,
  isObject,
  isUnsound,
  type JsonObject,
} from '@touchstone/protocol';
import type { Suite } from '../../ports/index.js';
import { jsonOf, readPackPath, readSuite, shownPath, utf8 } from '../../suites/index.js';
import type { PackFiles } from '../archive/file-table.js';
import type { PackLimits } from '../archive/limits.js';
import { KEYS_FOLDER } from '../signing/integrity.js';

/** A member of an agent's manifest that names a file of the pack. */
export type Ref = {
  readonly agentId: string;
  readonly member: 'systemPromptRef' | 'handoff.taskSchemaRef' | 'handoff.returnSchemaRef' | 'evalSuiteRef';
  readonly path: string;
};

/** Everything wrong with a foreign JSON Schema. */
export type CheckSchema = (schema: unknown) => readonly Issue[];

export function readPrompt(files: PackFiles, ref: Ref, limits: PackLimits): string {
  const { bytes } = fileOf(files, ref, limits);
  if (bytes.length > limits.maxPromptBytes)
    throw refError('invalid_manifest', ref, `is larger than the ${limits.maxPromptBytes} bytes of a prompt`);
  const text = utf8(bytes);
  if (text === undefined) throw refError('invalid_manifest', ref, 'is not UTF-8');
  if (text.trim() === '') throw refError('invalid_manifest', ref, 'is empty');
  return text;
}

export function readSchema(
  files: PackFiles,
  ref: Ref,
  limits: PackLimits,
  checkSchema: CheckSchema,
): JsonObject {
  const schema = jsonOf(fileOf(files, ref, limits).bytes)?.value;
  if (!isObject(schema) || isUnsound(schema))
    throw refError('invalid_manifest', ref, 'is not a JSON Schema: expected a JSON object in UTF-8');
  const issues = checkSchema(schema);
  if (issues.length > 0)
    throw refError(
      'invalid_manifest',
      ref,
      `is not a JSON Schema that can be used here: ${firstOf(issues)}`,
      issues,
    );
  return schema as JsonObject;
}

export function readSuiteFile(files: PackFiles, ref: Ref, limits: PackLimits): Suite {
  const { path, bytes } = fileOf(files, ref, limits);
  const text = utf8(bytes);
  if (text === undefined) throw refError('invalid_manifest', ref, 'is not UTF-8');
  try {
    return readSuite(text, { file: path });
  } catch (error) {
    if (!isHostError(error)) throw error;
    const issues = (error.details?.issues ?? []) as readonly Issue[];
    throw refError('invalid_manifest', ref, `is not a suite: ${firstOf(issues)}`, issues);
  }
}

export function refError(
  code: ErrorCode,
  { agentId, member, path }: Ref,
  problem: string,
  issues?: readonly Issue[],
): HostError {
  const message = `Agent ${agentId}: ${member} ${shownPath(path)} ${problem}.`;
  return new HostError(code, message, { agentId, ref: member, path, ...(issues && { issues }) });
}

function firstOf(issues: readonly Issue[]): string {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  if (!first) return 'it is not valid';
  const line = first.line === undefined ? '' : `line ${first.line}, `;
  return `${line}${first.pointer || '/'}: ${first.message.replace(/\.$/, '')}${more}`;
}

function fileOf(
  files: PackFiles,
  ref: Ref,
  limits: PackLimits,
): { readonly path: string; readonly bytes: Buffer } {
  const read = readPackPath(ref.path, limits.maxPathLength);
  if (read.kind === 'escapes')
    throw refError(
      'tarball_path_traversal',
      ref,
      'leaves the pack: expected a path below its root, with slashes',
    );
  // The digest leaves that folder out, so what lay there could change unnoticed.
  if (read.kind === 'inside' && read.path.startsWith(KEYS_FOLDER))
    throw refError('invalid_manifest', ref, `lies in ${KEYS_FOLDER}, which is for signatures`);
  const bytes = read.kind === 'inside' ? files.get(read.path) : undefined;
  if (read.kind !== 'inside' || !bytes)
    throw refError('tarball_entry_missing', ref, 'is not a file of the pack');
  return { path: read.path, bytes };
}
