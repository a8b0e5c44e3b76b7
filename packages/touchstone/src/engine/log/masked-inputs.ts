import type { Run } from '../../ports/index.js';
import type { Parts } from '../parts.js';

/**
 * The run as its first event tells of it. What looks like a secret in the inputs is for the agent, and not for those who
 * read the log. Once the log has begun, the run is returned as it is.
 */
export async function withMaskedInputs({ maskDeep }: Pick<Parts, 'maskDeep'>, run: Run): Promise<Run> {
  const { inputs } = run.request;
  if (inputs === undefined || run.eventCount > 0) return run;
  return { ...run, request: { ...run.request, inputs: await maskDeep(run.owner, inputs) } };
}
