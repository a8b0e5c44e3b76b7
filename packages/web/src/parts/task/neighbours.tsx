import { useKeys } from '../keys.js';

type NeighboursProps = {
  readonly onMove: (step: 1 | -1) => void;
  readonly isFirst?: boolean;
  readonly isLast?: boolean;
};

/** To the task before and after this one, with buttons and with the brackets. */
export function Neighbours({ onMove, isFirst = false, isLast = false }: NeighboursProps) {
  useKeys('task', {
    '[': isFirst ? undefined : () => onMove(-1),
    ']': isLast ? undefined : () => onMove(1),
  });
  return (
    <>
      <button type="button" class="quiet" title="[" disabled={isFirst} onClick={() => onMove(-1)}>
        ‹ Previous
      </button>
      <button type="button" class="quiet" title="]" disabled={isLast} onClick={() => onMove(1)}>
        Next ›
      </button>
    </>
  );
}
