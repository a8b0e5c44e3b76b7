/**
 * Does something now and every so often, in real time, for as long as the process has other reasons to live, and after a failure as
 * soon as `againMs` says, unless it is under way again already. Of failures in a row the first one is told, and none after the end: what is under way then may find its
 * store closed.
 */
export function keepDoing(
  what: () => Promise<unknown>,
  everyMs: number,
  onFailed: (error: unknown) => void,
  againMs = everyMs,
): () => void {
  let isFailing = false;
  let isOver = false;
  let underWay = 0;
  let again: NodeJS.Timeout | undefined;
  const tick = (): void => {
    clearTimeout(again);
    underWay += 1;
    what().then(
      () => {
        underWay -= 1;
        isFailing = false;
      },
      (error) => {
        underWay -= 1;
        if (isOver) return;
        if (!isFailing) onFailed(error);
        isFailing = true;
        clearTimeout(again);
        if (againMs < everyMs && underWay === 0) again = setTimeout(tick, againMs).unref();
      },
    );
  };
  tick();
  const timer = setInterval(tick, everyMs);
  timer.unref();
  return () => {
    isOver = true;
    clearTimeout(again);
    clearInterval(timer);
  };
}
