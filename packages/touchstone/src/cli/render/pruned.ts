import type { KeptReason, Owner, PrunedRuns } from '@touchstone/protocol';
import { type Look, printable } from './text.js';

/** What became of the runs of one owner. */
export type PrunedOwner = Partial<Owner> & PrunedRuns;

type PruneOutcome = {
  readonly dryRun: boolean;
  readonly bodiesOnly: boolean;
  readonly owners: readonly PrunedOwner[];
  readonly storeBytes?: { readonly before: number; readonly after: number };
};

const REASONS: { readonly [reason in KeptReason]: string } = {
  blessed: 'a baseline',
  evidence: 'a deployment rests on it',
  evidence_baseline: 'the proof of a deployment was measured by it',
  in_use: 'a run in progress reads it',
  unfinished: 'it has not ended',
};

/** What was removed, per tenant, and each run that was kept with its reason. */
export function renderPruned({ owners, storeBytes, ...how }: PruneOutcome, look: Look): string {
  const lines = owners.flatMap((owner) => ownerLines(owner, how, look));
  const sizes = storeBytes
    ? [`The store takes ${bytesText(storeBytes.after)}; before, ${bytesText(storeBytes.before)}.`]
    : [];
  return `${[...(owners.length === 0 ? ['There are no runs here.'] : lines), ...sizes].join('\n')}\n`;
}

function ownerLines(
  { tenant, workspace, removed, kept, more }: PrunedOwner,
  { dryRun, bodiesOnly }: Pick<PruneOutcome, 'dryRun' | 'bodiesOnly'>,
  { ink }: Look,
): readonly string[] {
  const whose = tenant === undefined ? '' : `${printable(`${tenant}/${workspace}`)}: `;
  const what = bodiesOnly ? 'the content of ' : '';
  const count = `${removed.length}${more ? ' and more' : ''} ${removed.length === 1 && !more ? 'run' : 'runs'}`;
  const verb = dryRun ? 'would be removed' : 'removed';
  return [
    `${whose}${what}${count} ${verb}${dryRun && removed.length > 0 ? ':' : '.'}`,
    ...(dryRun ? removed.map((runId) => `  ${printable(runId)}`) : []),
    ...(kept.length > 0 ? ['Kept:'] : []),
    ...kept.map(({ runId, reason, by }) => {
      const needed = by === undefined ? '' : ` (${printable(by)})`;
      return `  ${printable(runId)}  ${ink.dim(`${REASONS[reason]}${needed}`)}`;
    }),
  ];
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** A size in the unit that needs the fewest digits. */
export function bytesText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** power;
  return `${power === 0 ? amount : amount.toFixed(1)} ${UNITS[power]}`;
}
