import { type Issue, isHostError, type Scorecard } from '@touchstone/protocol';
import { type BundleFacts, type BundleFiles, openBundle, type TrustedKey } from '../../evidence/index.js';
import { checkScorecardFile } from '../views/import-scorecard.js';
import { type BundleDoubt, FILES, PART_NAMES, PARTS, type PartName } from './parts.js';

type Doubt = { readonly code: BundleDoubt; readonly message: string };

/** Whether a bundle can be believed, part by part. Holds names, digests and keys, and no content. */
export type BundleVerdict = {
  readonly doubts: readonly Doubt[];
  readonly notes: readonly string[];
  /** Absent when the manifest cannot be read. */
  readonly facts?: BundleFacts;
  /** The trusted key that signed the manifest. */
  readonly signedBy?: string;
  /** Absent when it cannot be read. */
  readonly scorecard?: Scorecard;
};

/** Checks everything that can be checked without a host. */
export function checkBundle(files: BundleFiles, keys: readonly TrustedKey[]): BundleVerdict {
  try {
    return checkManifest(files, keys);
  } catch (error) {
    return { doubts: doubtsOf(error, 'manifest.dsse.json'), notes: [] };
  }
}

function checkManifest(files: BundleFiles, keys: readonly TrustedKey[]): BundleVerdict {
  const { facts, signers, keyIds, troubles } = openBundle(files, keys);
  const [signer] = signers;
  const doubts: Doubt[] = troubles.map((message) => ({ code: 'tampered', message }));
  if (!signer) doubts.push(unsignedBy(keyIds));
  const about = { facts, ...(signer && { signedBy: signer.keyId }) };
  const card = readCard(files, keys);
  if ('doubts' in card) return { ...about, doubts: [...doubts, ...card.doubts], notes: [] };
  const { scorecard } = card;
  if (scorecard.runId !== facts.runId)
    doubts.push({ code: 'contradictory', message: 'The manifest names another run than the scorecard.' });
  const checked = PART_NAMES.map((name) => ({ name, ...PARTS[name].check({ files, scorecard, keys }) }));
  doubts.push(...checked.flatMap((part) => part.doubts), ...missingParts(facts, files));
  return { ...about, scorecard, doubts, notes: checked.flatMap((part) => part.notes) };
}

const unsignedBy = (keyIds: readonly string[]): Doubt =>
  keyIds.length === 0
    ? { code: 'unsigned', message: 'Nobody has signed the manifest, so anybody may have written it.' }
    : {
        code: 'untrusted',
        message: `The manifest bears no signature of a key that is trusted here; it names ${keyIds.join(', ')}. Get the public key from its author and give it with --key; if you did, the manifest was changed.`,
      };

type CardReading = { readonly scorecard: Scorecard } | { readonly doubts: readonly Doubt[] };

function readCard(files: BundleFiles, keys: readonly TrustedKey[]): CardReading {
  try {
    const text = files.get(FILES.scorecard)?.toString('utf8') ?? '';
    const { scorecard, signature, troubles } = checkScorecardFile(text, keys);
    const doubts: Doubt[] = troubles.map((message) => ({ code: 'contradictory', message }));
    if (signature.state !== 'trusted')
      doubts.push({
        code: 'untrusted',
        message: 'The scorecard is not signed by a key that is trusted here.',
      });
    return doubts.length > 0 ? { doubts } : { scorecard };
  } catch (error) {
    return { doubts: doubtsOf(error, FILES.scorecard) };
  }
}

/** A part that was left out has to be left out of the manifest, too. */
function missingParts({ parts }: BundleFacts, files: BundleFiles): readonly Doubt[] {
  const isSame = [...parts].sort().join() === [...partsIn(files)].sort().join();
  if (isSame) return [];
  return [{ code: 'contradictory', message: 'The manifest names other parts than the bundle holds.' }];
}

/** The issues of a file, without what is in it. */
function doubtsOf(error: unknown, file: string): readonly Doubt[] {
  if (!isHostError(error)) throw error;
  const issues = (error.details?.issues ?? []) as readonly Issue[];
  return issues.map(({ pointer, message }) => ({
    code: /^\/(signatures|payload)/.test(pointer) ? 'tampered' : 'malformed',
    message: `${file}${pointer}: ${message}`,
  }));
}

export const partsIn = (files: BundleFiles): readonly PartName[] =>
  PART_NAMES.filter((name) => PARTS[name].files.some((file) => files.has(file)));
