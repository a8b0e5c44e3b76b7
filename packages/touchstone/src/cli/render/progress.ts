import { duration, usd, whole } from '@touchstone/sdk/view';
import type { Progress } from '../../ports/index.js';
import { truncate } from './text.js';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const REDRAW_MS = 100;
const PLAIN_MS = 10_000;

/** `132/500 · 127 passed · 4 failed · 1 unscored · $0.0132 · 12 s left` */
export function progressText(progress: Progress): string {
  const parts = [
    `${whole(progress.done)}/${whole(progress.total)}`,
    `${whole(progress.passed)} passed`,
    `${whole(progress.failed)} failed`,
    ...(progress.unscored ? [`${whole(progress.unscored)} unscored`] : []),
    ...(progress.costUsd ? [usd(progress.costUsd)] : []),
    ...(progress.etaMs !== undefined && progress.done < progress.total
      ? [`${duration(progress.etaMs)} left`]
      : []),
  ];
  return parts.join(' · ');
}

export type ProgressScreen = {
  readonly isTTY: boolean;
  readonly columns: number;
  write(text: string): void;
  /** Puts the text in the place of what stands on the line. */
  rewriteLine(text: string): void;
  /** Calls `tick` about every `ms` until the returned function is called. */
  every(ms: number, tick: () => void): () => void;
};
type ProgressLine<T> = {
  update(progress: T): void;
  /** Leaves the screen as if the line had never been there. */
  clear(): void;
};

/**
 * One line that is rewritten in place, at most ten times a second however fast tasks finish; on a pipe, a plain line
 * about every ten seconds. It draws only from the latest picture, so a burst of updates costs one redraw.
 */
export const createStatusLine = <T>(
  screen: ProgressScreen,
  textOf: (progress: T) => string,
): ProgressLine<T> => (screen.isTTY ? rewrittenLine(screen, textOf) : plainLines(screen, textOf));

export const createProgressLine = (screen: ProgressScreen): ProgressLine<Progress> =>
  createStatusLine(screen, progressText);

function rewrittenLine<T>(screen: ProgressScreen, textOf: (progress: T) => string): ProgressLine<T> {
  let latest: T | undefined;
  let frame = 0;
  let drawn = false;
  const stop = screen.every(REDRAW_MS, () => {
    if (!latest) return;
    frame = (frame + 1) % FRAMES.length;
    screen.rewriteLine(truncate(`${FRAMES[frame]} ${textOf(latest)}`, screen.columns - 1));
    drawn = true;
  });
  return {
    update(progress) {
      latest = progress;
    },
    clear() {
      stop();
      if (drawn) screen.rewriteLine('');
      drawn = false;
    },
  };
}

function plainLines<T>(screen: ProgressScreen, textOf: (progress: T) => string): ProgressLine<T> {
  let latest: T | undefined;
  let told: T | undefined;
  const stop = screen.every(PLAIN_MS, () => {
    if (latest && latest !== told) screen.write(`${textOf(latest)}\n`);
    told = latest;
  });
  return {
    update(progress) {
      latest = progress;
    },
    clear: stop,
  };
}
