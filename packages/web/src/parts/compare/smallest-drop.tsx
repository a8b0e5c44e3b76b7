import type { EvalReport } from '@touchstone/protocol';
import { detectableWords } from '@touchstone/sdk/view';

type SmallestDropProps = { readonly regression: NonNullable<EvalReport['regression']> };

/** What a comparison of so many tasks can show at all. */
export const SmallestDrop = ({ regression }: SmallestDropProps) => (
  <p class="muted" data-testid="smallest-drop" title={detectableWords(regression)}>
    {regression.smallestDetectableDrop === undefined
      ? 'can show no drop'
      : `can show ≥ ${regression.smallestDetectableDrop.toFixed(3)}`}
  </p>
);
