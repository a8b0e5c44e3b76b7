import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** The part of the heap in which everything begins. V8 doubles it while much in it survives, up to 32 MB. */
export type YoungGeneration = {
  /** Does it with the flags that the process began with: V8 takes compiled code only under those it was compiled with. */
  withFirstFlags<T>(work: () => T): T;
  /** From here on the flags are those that the process began with. */
  release(): void;
};

export const UNBOUND: YoungGeneration = { withFirstFlags: (work) => work(), release: () => undefined };

/** V8 looks at this flag whenever it could give the young generation more room. 2 is its own choice. */
const growBy = (factor: 1 | 2): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`);

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;

/** Lets it grow to so many bytes, and no further. Less from the start would move what is at work to the old generation. */
export function boundYoungGeneration(bytes: number): YoungGeneration {
  let isBound = false;
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < bytes) return;
    observer.disconnect();
    isBound = true;
    growBy(1);
  });
  observer.observe({ entryTypes: ['gc'] });
  return {
    withFirstFlags(work) {
      if (!isBound) return work();
      growBy(2);
      try {
        return work();
      } finally {
        growBy(1);
      }
    },
    release() {
      observer.disconnect();
      if (isBound) growBy(2);
      isBound = false;
    },
  };
}
