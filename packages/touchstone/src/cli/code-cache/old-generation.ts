import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = () => void;

/** Only a context that is made while the flag is set has this function. It is needed by long runs alone. */
function exposeCollect(): Collect {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as Collect;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}

const oldBytes = (): number =>
  getHeapSpaceStatistics().reduce(
    (sum, { space_name: name, space_used_size: used }) => (name.startsWith('new') ? sum : sum + used),
    0,
  );

/**
 * Collects the whole heap each time it has grown by so many bytes, or to twice what was alive, whichever is more. V8 would let it
 * grow five times as far: a few collections more are cheap where little is alive. Returns what ends this.
 */
export function boundOldGeneration(bytes: number, expose: () => Collect = exposeCollect): () => void {
  let collect: Collect | undefined;
  let alive: number | undefined;
  const observer = new PerformanceObserver(() => {
    const used = oldBytes();
    alive = Math.min(alive ?? used, used);
    if (used - alive < Math.max(bytes, alive)) return;
    collect ??= expose();
    collect();
    alive = oldBytes();
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}
