import { type ErrorDetails, HostError, type Issue } from '@touchstone/contract';

/** The error for a manifest with one or more things wrong: all of them are listed, the first one is in the message. */
export function invalidManifest(issues: readonly Issue[], details: ErrorDetails = {}): HostError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const message = first ? `${first.pointer || '/'}: ${first.message}${more}` : 'it is not valid';
  return new HostError('invalid_manifest', `pack.json ${message}`, { ...details, issues });
}
