/** Does something now and every so often, in real time, for as long as the process has other reasons to live. */
export function keepDoing(what: () => Promise<void>, everyMs: number): () => void {
  const tick = (): void => void what();
  tick();
  const timer = setInterval(tick, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
