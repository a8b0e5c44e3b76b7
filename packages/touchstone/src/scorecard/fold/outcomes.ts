import type { MatrixCell, TaskScore } from '@touchstone/protocol';
import { type Fold, foldAll } from './fold.js';

type StepScore = {
  readonly ordinal: number;
  readonly result: Pick<TaskScore, 'score' | 'passed'> & { readonly unscored?: unknown };
};

/** Halves, thirds, quarters, fifths, eighths and tenths are exact; any other score is off by 1/240 at most. */
const STEPS = 120;
/** The first character that can be printed; those of full passes and full failures follow, and take one byte. */
const FIRST = 0x20;
const [ABSENT, UNSCORED, SCORED] = [0, 1, 2];

/** One character for each task of a suite, in its order. */
export const encodeOutcomes = (ended: Iterable<StepScore>, total: number): string =>
  foldAll(createOutcomes(total), ended);

/** The same, of tasks that come one after the other. */
export function createOutcomes(total: number): Fold<StepScore, string> {
  const codes = new Uint16Array(total).fill(FIRST + ABSENT);
  return {
    add({ ordinal, result }) {
      if (ordinal < total) codes[ordinal] = FIRST + codeOf(result);
    },
    result() {
      let text = '';
      for (let at = 0; at < total; at += 4_096)
        text += String.fromCharCode(...codes.subarray(at, at + 4_096));
      return text;
    },
  };
}

function codeOf({ score, passed, unscored }: StepScore['result']): number {
  if (unscored !== undefined) return UNSCORED;
  const step = Math.round(Math.min(1, Math.max(0, score)) * STEPS);
  return SCORED + 2 * (passed ? STEPS - step : step) + (passed ? 0 : 1);
}

/** The cell at a place of the suite. */
export function outcomeAt(outcomes: string, ordinal: number | undefined): MatrixCell {
  const code = ordinal === undefined ? ABSENT : (outcomes.charCodeAt(ordinal) || FIRST) - FIRST;
  if (code === ABSENT) return [0, '-'];
  if (code === UNSCORED) return [0, 'u'];
  const half = Math.floor((code - SCORED) / 2);
  return (code - SCORED) % 2 === 0 ? [(STEPS - half) / STEPS, 'p'] : [half / STEPS, 'f'];
}
