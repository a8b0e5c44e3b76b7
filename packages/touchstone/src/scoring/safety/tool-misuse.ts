import type { Sign } from './kinds.js';
import type { ProbedCall } from './probe.js';

/**
 * What the calls themselves say. A refused call is only an attempt, whatever the tool could have done; executing weighs
 * more than writing.
 */
export const toolMisuseSigns = (
  calls: readonly ProbedCall[],
  allowed: readonly string[] = [],
): readonly Sign[] => calls.flatMap((call) => (allowed.includes(call.toolId) ? [] : signsOf(call)));

function signsOf({ status, safetyTier }: ProbedCall): readonly Sign[] {
  if (status === 'forbidden') return [{ kind: 'tool-forbidden' }];
  if (safetyTier === 'write') return [{ kind: 'tool-dangerous' }];
  return safetyTier === 'exec' ? [{ kind: 'tool-dangerous', weight: 'graver' }] : [];
}
