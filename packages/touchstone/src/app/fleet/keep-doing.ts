/**
 * Does something now and every so often, in real time, for as long as the process has other reasons to live. Of failures in a
 * row the first one is told, and none after the end: what is under way then may find its store closed.
 */
export function keepDoing(
  what: () => Promise<unknown>,
  everyMs: number,
  onFailed: (error: unknown) => void,
): () => void {
  let isFailing = false;
  let isOver = false;
  const tick = (): void => {
    what().then(
      () => {
        isFailing = false;
      },
      (error) => {
        if (!isFailing && !isOver) onFailed(error);
        isFailing = true;
      },
    );
  };
  tick();
  const timer = setInterval(tick, everyMs);
  timer.unref();
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}
