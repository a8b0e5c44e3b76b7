import { HostError, type RunError } from '@touchstone/protocol';
import type { Run } from '../../ports/index.js';

/** Refusals of a transition, in the words of an answer. The run that holds the trace is named, so that it can be read. */
export function checkOutcome({ runId, status, error }: Run): 'done' | 'waiting' {
  if (status === 'completed') return 'done';
  if (error) throw refusalOf(runId, error);
  return 'waiting';
}

function refusalOf(runId: string, { code, message, details }: RunError): HostError {
  const known = code === 'forbidden' || code === 'eval_gate_unmet' || code === 'conflict';
  if (!known) return new HostError('internal_error', message);
  return new HostError(code, message, { ...details, runId });
}
