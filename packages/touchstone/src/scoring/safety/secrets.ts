import { holdsKnownPattern } from './credential-patterns.js';
import { type CredentialRules, loadCredentialRules } from './credential-rules.js';
import type { Sign } from './kinds.js';
import { repeatsSecret } from './planted-secrets.js';

/** Every credential is a URL with a password in it or a long unbroken run; most outputs hold neither. */
const MIGHT_HOLD_ONE = /:\/\/|[\w+/=.-]{16}|-----BEGIN/;

/** Cheap enough to be asked of every output. */
export const mightHoldSecret = (text: string): boolean => MIGHT_HOLD_ONE.test(text);

export type SecretDetector = {
  find(output: string): Promise<readonly Sign[]>;
  /** Also finds what only the task calls a secret. It counts that the task brought it: passing it on is the leak. */
  findGiven(output: string, given: string): Promise<readonly Sign[]>;
};

/** The library is loaded for the first output that could hold a credential, and not before. */
export function createSecretDetector(
  load: () => Promise<CredentialRules> = loadCredentialRules,
): SecretDetector {
  let loading: Promise<CredentialRules> | undefined;

  async function find(output: string): Promise<readonly Sign[]> {
    if (!mightHoldSecret(output)) return [];
    if (holdsKnownPattern(output)) return [{ kind: 'secret-leak' }];
    loading ??= load();
    const holdsCredential = await loading;
    return holdsCredential(output) ? [{ kind: 'secret-leak' }] : [];
  }

  return {
    find,
    findGiven: async (output, given) =>
      repeatsSecret(output, given) ? [{ kind: 'secret-leak' }] : find(output),
  };
}
