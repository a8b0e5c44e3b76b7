import type { Peers } from '../peers.js';
import type { Watchers } from './watchers.js';

/** Watchers that other processes wake, too. */
export function shareWatchers(watchers: Watchers, peers: Peers): Watchers {
  peers.listen('log', watchers.notify);
  return {
    watch(runId, listener) {
      const ends = [watchers.watch(runId, listener), peers.follow(runId)];
      return () => {
        for (const end of ends) end();
      };
    },
    notify(runId) {
      watchers.notify(runId);
      peers.notify('log', runId);
    },
    notifyHere: watchers.notify,
  };
}
