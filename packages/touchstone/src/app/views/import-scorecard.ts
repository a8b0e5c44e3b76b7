import {
  HostError,
  type Json,
  jsonEqual,
  type Owner,
  type Scorecard,
  validationError,
  withoutContractOutcome,
  withoutTaskDigests,
} from '@touchstone/protocol';
import { type OpenedEnvelope, openEnvelope, type TrustedKey } from '../../evidence/index.js';
import type { Store } from '../../ports/index.js';
import { scorecardTroubles } from '../../scorecard/index.js';

/** A scorecard file that could be read: whose word it is, and whether its summary follows from its results. */
export type CheckedScorecard = OpenedEnvelope & { readonly troubles: readonly string[] };

/** Throws when the file is no scorecard, or claims a signature of a trusted key that does not fit. */
export function checkScorecardFile(text: string, keys: readonly TrustedKey[]): CheckedScorecard {
  const opened = openEnvelope(text, keys);
  return { ...opened, troubles: scorecardTroubles(opened.scorecard) };
}

/** Keeps a scorecard that came in a file, to compare runs with. A trusted key must have signed it. */
export async function importScorecard(
  { baselines, runs }: Pick<Store, 'baselines' | 'runs'>,
  owner: Owner,
  text: string,
  keys: readonly TrustedKey[],
): Promise<Scorecard> {
  const { scorecard, signature, troubles } = checkScorecardFile(text, keys);
  if (signature.state !== 'trusted') throw untrusted(signature);
  if (troubles.length > 0)
    throw validationError(troubles.map((message) => ({ pointer: '/payload', message })));
  // A run that is here is read from its own log; its scorecard adds nothing.
  if (await runs.get(owner, scorecard.runId)) return scorecard;
  const kept = await baselines.kept(owner, scorecard.runId);
  // Runs have been held against the one that is kept: what they were told must stay true.
  if (kept && !isSame(kept, scorecard)) throw another(scorecard);
  // A file of an earlier version says less about the same run, and takes nothing away.
  await baselines.keep(owner, kept && namesTasks(kept) && !namesTasks(scorecard) ? kept : scorecard);
  return scorecard;
}

const namesTasks = ({ results }: Scorecard): boolean =>
  results.some(({ taskDigest }) => taskDigest !== undefined);

/** Earlier files do not say whether their contract was kept, or which tasks they are about; a later one of the same run may. */
const isSame = (kept: Scorecard, other: Scorecard): boolean =>
  jsonEqual(
    withoutTaskDigests(kept, other) as unknown as Json,
    withoutContractOutcome(withoutTaskDigests(other, kept), kept) as unknown as Json,
  );

const another = ({ runId }: Scorecard): HostError =>
  new HostError(
    'conflict',
    `Another scorecard of run ${runId} is kept here, and this one says something else. One run has one scorecard: export it again where it was run.`,
  );

function untrusted(signature: OpenedEnvelope['signature']): HostError {
  const what =
    signature.state === 'unsigned'
      ? 'The scorecard file is not signed.'
      : `The scorecard file is signed by key ${'keyId' in signature ? signature.keyId : 'without a name'}, which is not trusted here.`;
  return new HostError(
    'validation_error',
    `${what} Add the public key of its author to "trust.keys" of the configuration.`,
    { field: 'signatures' },
  );
}
