import type { Engine, Leases, Log } from '../../ports/index.js';
import { keepDoing } from './keep-doing.js';

type LookParts = {
  readonly engine: Pick<Engine, 'adopt'>;
  readonly leases: Pick<Leases, 'watchOffers'>;
  readonly log: Log;
};

/** Takes up runs without a driver now, when one is offered, and every so often. Returns the function that ends it. */
export function lookForRuns({ engine, leases, log }: LookParts, everyMs: number): () => void {
  const unwatch = leases.watchOffers(() => {
    // The next regular look tells what is in the way.
    engine.adopt().catch(() => undefined);
  });
  const stop = keepDoing(engine.adopt, everyMs, (error) => log.error('adopt.failed', {}, error));
  return () => {
    stop();
    unwatch();
  };
}
