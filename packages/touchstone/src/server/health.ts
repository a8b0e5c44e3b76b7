import type { Clock, Log, Store } from '../ports/index.js';

/** Whether this process can do its work now. */
export type Readiness = {
  /** Resolves with what is in the way, in a word; undefined when nothing is. */
  obstacle(): Promise<'stopping' | 'store' | undefined>;
  /** From now on it is not ready: it is told to end. */
  stop(): void;
};

/** Whoever asks, however often, the store is asked this often at most. */
const FRESH_MS = 1_000;

export function createReadiness(
  store: Pick<Store, 'ping'>,
  clock: Pick<Clock, 'elapsed'>,
  log: Pick<Log, 'error'>,
): Readiness {
  let isStopping = false;
  let isTold = false;
  /** A probe learns only that it is not ready, so the operator is told why: once, until it is ready again. */
  const tell = (error: unknown): void => {
    if (!isTold) log.error('store.unready', {}, error);
    isTold = true;
  };
  let known: { readonly at: number; readonly isThere: Promise<boolean> } | undefined;
  const isThere = (): Promise<boolean> => {
    const now = clock.elapsed();
    if (!known || now - known.at >= FRESH_MS) {
      const asked = store.ping().then(
        () => {
          isTold = false;
          return true;
        },
        (error: unknown) => {
          tell(error);
          return false;
        },
      );
      known = { at: now, isThere: asked };
    }
    return known.isThere;
  };
  return {
    async obstacle() {
      if (isStopping) return 'stopping';
      return (await isThere()) ? undefined : 'store';
    },
    stop() {
      isStopping = true;
    },
  };
}

export type HealthAnswer = { readonly status: number; readonly body: { readonly status: string } };

/** The answer to a probe; undefined when the path is none. Probes send no key, and learn nothing but this. */
export async function answerProbe(
  method: string,
  path: string,
  readiness: Readiness,
): Promise<HealthAnswer | undefined> {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (path === '/healthz') return { status: 200, body: { status: 'alive' } };
  if (path !== '/readyz') return undefined;
  const obstacle = await readiness.obstacle();
  return obstacle === undefined
    ? { status: 200, body: { status: 'ready' } }
    : { status: 503, body: { status: obstacle } };
}
