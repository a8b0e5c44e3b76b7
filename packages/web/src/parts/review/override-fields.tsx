import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Draft } from '../../review-draft.js';
import { leaveOnEnter } from './leave-on-enter.js';

type OverrideFieldsProps = {
  readonly override: NonNullable<Draft['override']>;
  readonly change: (next: (draft: Draft) => Draft) => void;
};

/** The score that the task should have, and why. It is recorded with the rest. */
export function OverrideFields({ override, change }: OverrideFieldsProps) {
  const set = (part: Partial<typeof override>): void =>
    change((old) => ({ ...old, override: { ...override, ...part } }));
  const value = useRef<HTMLInputElement>(null);
  // Before the next key can come.
  useLayoutEffect(() => value.current?.focus(), []);
  const drop = (): void => change(({ override: _, ...old }) => old);
  return (
    <div class="override-fields">
      <label>
        <span class="muted">Score</span>
        <input
          ref={value}
          type="number"
          min={0}
          max={1}
          step={0.05}
          data-testid="override-value"
          value={override.value}
          onInput={(event) => set({ value: event.currentTarget.value })}
          onKeyDown={leaveOnEnter}
        />
      </label>
      <label class="reason">
        <span class="muted">Reason</span>
        <input
          type="text"
          data-testid="override-reason"
          value={override.reason}
          maxLength={8000}
          onInput={(event) => set({ reason: event.currentTarget.value })}
          onKeyDown={leaveOnEnter}
        />
      </label>
      <button type="button" class="quiet" onClick={drop}>
        No override
      </button>
    </div>
  );
}
