import { HostError, type Issue } from '@touchstone/protocol';
import { MANIFEST_PATH } from '../archive/file-table.js';

/** The error for a manifest with one or more things wrong: all of them are listed, the first one is in the message. */
export function invalidManifest(issues: readonly Issue[]): HostError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const message = first ? `${first.pointer || '/'}: ${first.message}${more}` : 'it is not valid';
  return new HostError('invalid_manifest', `${MANIFEST_PATH} ${message}`, { file: MANIFEST_PATH, issues });
}
