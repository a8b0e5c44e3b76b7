/**
 * Does something now and every so often, in real time, for as long as the process has other reasons to live. Of failures in a
 * row the first one is told.
 */
export function keepDoing(
  what: () => Promise<unknown>,
  everyMs: number,
  onFailed: (error: unknown) => void,
): () => void {
  let isFailing = false;
  const tick = (): void => {
    what().then(
      () => {
        isFailing = false;
      },
      (error) => {
        if (!isFailing) onFailed(error);
        isFailing = true;
      },
    );
  };
  tick();
  const timer = setInterval(tick, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
