import type { Engine, Leases, Log } from '../../ports/index.js';
import { keepDoing } from './keep-doing.js';

type LookParts = {
  readonly engine: Pick<Engine, 'adopt'>;
  readonly leases: Pick<Leases, 'watchOffers'>;
  readonly log: Log;
};

/** Takes up runs without a driver now, when one is offered, and every so often. Returns the function that ends it. */
export function lookForRuns({ engine, leases, log }: LookParts, everyMs: number): () => void {
  const look = (): Promise<void> => engine.adopt().catch((error) => log.error('adopt.failed', {}, error));
  const unwatch = leases.watchOffers(() => void look());
  const stop = keepDoing(look, everyMs);
  return () => {
    stop();
    unwatch();
  };
}
