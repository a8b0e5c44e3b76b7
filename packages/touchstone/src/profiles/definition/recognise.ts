import { isObject } from '@touchstone/protocol';
import type { DefinitionForm } from './profile-shape.js';

const MARKS_OF_A = ['metadata', 'capabilities', 'config', 'dependencies', 'evaluation'];
const MARKS_OF_B = ['kind', 'metadata', 'definitions', 'workflow'];

/** Tells a definition from a suite by its members alone, so that a definition with slips in it is still one. */
export function looksLikeDefinition(value: unknown): DefinitionForm | undefined {
  if (!isObject(value) || Object.hasOwn(value, 'suiteId') || Object.hasOwn(value, 'tasks')) return undefined;
  const has = (names: readonly string[]) => names.filter((name) => Object.hasOwn(value, name)).length;
  const { apiVersion } = value;
  if (typeof apiVersion === 'string' && apiVersion.startsWith('coreason.ai/')) return 'B';
  if (has(MARKS_OF_B) >= 3) return 'B';
  return has(MARKS_OF_A) >= 2 ? 'A' : undefined;
}
