import type { Principal } from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import type { AnnotationCreateWire } from '@touchstone/protocol/wire';
import type { Override } from '../../ports/index.js';
import { hasScope } from '../principal.js';

export const OVERRIDE_SCOPE = 'evals:override';

/** Something a reader can see. Spaces, controls and characters without a width give no reason. */
const VISIBLE = /[^\p{C}\p{Z}]/u;

/**
 * What a score is to be taken for, when someone who may say so says exactly that, with a reason. Anything short of it is
 * an ordinary annotation and overrides nothing, so that no score is overridden by accident.
 */
export function overrideOf(
  principal: Principal,
  { signal, note = '' }: AnnotationCreateWire,
  event: RunEvent | undefined,
): Override | undefined {
  if (signal.kind !== 'correction' || event?.type !== 'eval.scored') return undefined;
  if (!VISIBLE.test(note) || !hasScope(principal, OVERRIDE_SCOPE)) return undefined;
  return parseOverride(signal.correction ?? '');
}

/** `{"score": 0 to 1}` or `{"passed": true or false}`. */
function parseOverride(text: string): Override | undefined {
  // One name has two quotation marks. A parser would hide that a name was given twice with different values.
  if (text.split('"').length !== 3) return undefined;
  const { score, passed } = parseObject(text);
  if (typeof score === 'number' && score >= 0 && score <= 1) return { score };
  if (typeof passed === 'boolean') return { score: passed ? 1 : 0, passed };
  return undefined;
}

function parseObject(text: string): { readonly score?: unknown; readonly passed?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
