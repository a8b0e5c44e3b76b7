import { HostError, type Issue, isHostError } from '@touchstone/protocol';
import {
  openSuiteEnvelope,
  type SignedSuite,
  type SuiteEnvelopeReading,
  vouchesForPack,
} from '../../evidence/index.js';
import { shownPath } from '../../suites/index.js';
import { badSignature, checkAdmitted, nameOf } from './admission.js';
import type { Trust, TrustedKey } from './trust.js';

export type SuiteVerification = {
  /** The trusted key that signed it; absent when none did. */
  readonly signedBy?: string;
  readonly warnings: readonly string[];
};

/** The hash by which a suite is pinned: its RFC 8785 digest, written as packs write theirs. */
export const suiteIntegrity = ({ digest }: Pick<SignedSuite, 'digest'>): string =>
  `sha256-${Buffer.from(digest.slice('sha256:'.length), 'hex').toString('base64')}`;

/**
 * Decides whether a suite may be used under this trust, as `verifyPack` does for packs: keys come from the trust alone, and
 * a signature that a known key did not make is refused under every policy.
 */
export function verifySuite(
  suite: SignedSuite,
  envelope: string | undefined,
  trust: Pick<Trust, 'policy' | 'packs' | 'keys'>,
): SuiteVerification {
  checkAdmitted(
    { name: suite.suiteId, version: suite.version, integrity: suiteIntegrity(suite) },
    trust,
    'suites',
  );
  const signer = envelope === undefined ? unsigned(suite) : signerOf(suite, envelope, trust);
  if ('key' in signer) return { signedBy: signer.key.keyId, warnings: [] };
  if (trust.policy === 'verified')
    throw badSuite(suite, `${signer.doubt} The trust policy asks for a trusted signature.`);
  return { warnings: [signer.doubt] };
}

type Signer = { readonly key: TrustedKey } | { readonly doubt: string };

const unsigned = (suite: SignedSuite): Signer => ({ doubt: `Suite ${refOf(suite)} is not signed.` });

function signerOf(suite: SignedSuite, envelope: string, { keys }: Pick<Trust, 'keys'>): Signer {
  const opened = openFor(suite, envelope, [...keys.values()]);
  checkFits(suite, opened);
  const { signers, keyIds } = opened;
  const key = signers.find((one) => vouchesForPack(one, suite.suiteId));
  if (key) return { key: keys.get(key.keyId) as TrustedKey };
  const [limited] = signers;
  if (limited)
    throw badSuite(
      suite,
      `Suite ${refOf(suite)} is signed by key ${shownPath(limited.keyId)}, which trust.keys limits to other names.`,
    );
  if (keyIds.length === 0) return { doubt: `The envelope of suite ${refOf(suite)} holds no signature.` };
  return {
    doubt: `Suite ${refOf(suite)} is signed by key ${keyIds.map(shownPath).join(', ')}, which is not in trust.keys; the signature was not checked.`,
  };
}

/** An envelope that is none, or whose signature is not the one of its key, refuses the suite. */
function openFor(suite: SignedSuite, envelope: string, keys: readonly TrustedKey[]): SuiteEnvelopeReading {
  try {
    return openSuiteEnvelope(envelope, suite, keys);
  } catch (error) {
    if (!isHostError(error)) throw error;
    const [first] = (error.details?.issues ?? []) as readonly Issue[];
    throw badSuite(
      suite,
      `The envelope of suite ${refOf(suite)} is refused. ${first?.message ?? error.message}`,
    );
  }
}

function checkFits(suite: SignedSuite, { fits }: SuiteEnvelopeReading): void {
  if (fits === 'yes') return;
  const why =
    fits === 'other_suite'
      ? 'The envelope is of another suite or version.'
      : 'The suite has been changed since it was signed, or was signed in another state.';
  throw new HostError(
    'pack_integrity_failure',
    `Suite ${refOf(suite)} is not what its envelope signs. ${why} Get both from their author again, or sign it again.`,
    { suite: refOf(suite) },
  );
}

/** The code is that of packs; the details say that it is about a suite, whose author has other commands. */
const badSuite = (suite: SignedSuite, message: string): HostError =>
  badSignature(message, { suite: refOf(suite) });

const refOf = ({ suiteId, version }: SignedSuite): string => nameOf({ name: suiteId, version });
