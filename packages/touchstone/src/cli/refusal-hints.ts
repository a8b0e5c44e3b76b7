import { type HostError, isHostError } from '@touchstone/contract';
import type { HostResponseError } from '@touchstone/sdk';

/** By the member of the request that was refused, or by the code. */
const HINTS: { readonly [key: string]: string } = {
  agentId: 'See the agents of the configuration with: touchstone doctor',
  judge: 'See the models of the configuration with: touchstone doctor',
  'configurable.model': 'See the models of the configuration with: touchstone doctor',
  'configurable.evalModes': 'Choose among the modes with --modes, e.g. --modes golden',
  'configurable.baselineRunId':
    'See the runs that could serve with: touchstone runs --status completed, and hold any two side by side with: touchstone compare',
  unauthenticated:
    'Check the variable named by --key-env, or make a key on that host with: touchstone keys create',
  key_expired: 'Make a new key on that host with: touchstone keys create',
  key_revoked: 'Make a new key on that host with: touchstone keys create',
  conflict: 'An installed version never changes. Raise "version" in the file and try again.',
  pack_signature_invalid:
    'Have it signed by a key that is trusted there (touchstone pack sign), or add its key to "trust.keys" of the configuration.',
  pack_integrity_failure:
    'Get the archive again from its author. After a change of your own, sign it again with: touchstone pack sign',
};

const OTHER_AGENT = 'Name that agent with --agent, or add --allow-target-mismatch.';
const OTHER_JUDGE =
  'Rejudge the baseline with: touchstone rejudge <runId>, or compare all the same with --allow-judge-mismatch.';
const NO_MODEL = 'Set it in the configuration to "<provider>/<model>", or name a model with --model.';
const NOT_LISTED =
  'Add it to "trust.packs" of the configuration (under the policy "pinned" with its version and integrity), or choose another "trust.policy".';
const BUILD_AGAIN = 'Make the archive again with: touchstone pack build <folder>';

/** What to do about a refusal, when there is something. */
export function hintFor(error: HostError | HostResponseError): string | undefined {
  const { code, details = {} } = error;
  if (JSON.stringify(details).includes('allowTargetMismatch')) return OTHER_AGENT;
  if (JSON.stringify(details).includes('allowJudgeMismatch')) return OTHER_JUDGE;
  if (details.field === 'agentId' && error.message.includes('modelClasses.')) return NO_MODEL;
  // Over HTTP the same code may be about the caller's key.
  if (code === 'forbidden' && isHostError(error)) return NOT_LISTED;
  if (code === 'pack_integrity_failure' && typeof details.integrity === 'string')
    return pinHint(details.integrity);
  const { field } = details;
  const hint = (typeof field === 'string' ? HINTS[field] : undefined) ?? HINTS[code];
  return hint ?? (code.startsWith('tarball_') ? BUILD_AGAIN : undefined);
}

/** A new version of a pinned pack looks like a forged one: only its reader can tell which it is. */
const pinHint = (integrity: string): string =>
  `If this is the archive you mean, put its version and "integrity": "${integrity}" into "trust.packs" of the configuration; if not, get it again from its author.`;
