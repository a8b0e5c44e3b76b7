import { isIP } from 'node:net';
import { HostError } from '@touchstone/protocol';
import type { FastifyInstance } from 'fastify';
import { createOneTimeTokens, hashKey, type KnownKey } from '../app/index.js';
import type { Ids } from '../ports/index.js';
import { type AppOptions, createApp } from './app.js';
import { closeApp } from './close-app.js';
import { createReadiness } from './health.js';

export type HostOptions = AppOptions & {
  readonly ids: Pick<Ids, 'token'>;
  /** Default 127.0.0.1. */
  readonly address?: string;
  /** 0 takes a free one. */
  readonly port?: number;
  /** The key of the person at this machine, for whom a link to the page is made. */
  readonly openFor?: string;
  /** Where on the page that link leads. */
  readonly openAt?: string;
};

export type RunningHost = {
  readonly url: string;
  readonly app: FastifyInstance;
  /** The key made because none was configured. It is shown once and stored nowhere. */
  readonly generatedKey?: string;
  /** Signs the person at this machine in, once, within ten minutes. Absent unless there is one, and a page. */
  readonly openUrl?: string;
  /**
   * Finishes what is being executed within the time, if there is any; stops accepting, ends streams, lets go of runs so that
   * another process can take them up, and closes the store.
   */
  close(drainMs?: number): Promise<void>;
};

/** Listens. Says nothing: what to print is the caller's business. */
export async function startHost(options: HostOptions): Promise<RunningHost> {
  const { address = '127.0.0.1', port = 0, touchstone } = options;
  const generatedKey = (await hasKeys(options)) ? undefined : options.ids.token();
  if (generatedKey !== undefined) checkLoopback(address);
  const extraKeys = [
    ...(options.extraKeys ?? []),
    ...(generatedKey === undefined ? [] : [localKey(generatedKey)]),
  ];
  const tokens = createOneTimeTokens(options.clock);
  const readiness = createReadiness(touchstone.store, options.clock, options.log);
  const app = createApp({ ...options, extraKeys, tokens, readiness });
  const url = await app.listen({ host: address, port });
  const openFor = options.openFor ?? (generatedKey === undefined ? undefined : hashKey(generatedKey));
  const back = options.openAt === undefined ? '' : `?back=${encodeURIComponent(options.openAt)}`;
  const hasPage = options.config.page !== false;
  let closed: Promise<void> | undefined;
  const close = async (drainMs: number): Promise<void> => {
    readiness.stop();
    if (drainMs > 0) await touchstone.engine.drain(drainMs);
    await closeApp(app);
    await touchstone.engine.shutdown();
    await touchstone.close();
  };
  return {
    url,
    app,
    ...(generatedKey !== undefined && { generatedKey }),
    ...(openFor !== undefined && hasPage && { openUrl: `${url}/open${back}#${tokens.make(openFor)}` }),
    close(drainMs = 0) {
      closed ??= close(drainMs);
      return closed;
    },
  };
}

async function hasKeys({ config, touchstone, extraKeys = [], clock }: HostOptions): Promise<boolean> {
  if (config.keys.length > 0 || extraKeys.length > 0) return true;
  const now = clock.now();
  const stored = await touchstone.store.keys.list();
  return stored.some((key) => key.revokedAt === undefined && (key.expiresAt ?? now + 1) > now);
}

function checkLoopback(address: string): void {
  const loopback =
    address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
  if (loopback) return;
  throw new HostError(
    'validation_error',
    `Without "keys" in the config this host listens on loopback only, not on ${address}. Add a key.`,
  );
}

const localKey = (key: string): KnownKey => ({
  keyHash: hashKey(key),
  owner: { tenant: 'local', workspace: 'main' },
  principal: 'local',
  roles: ['admin', 'operator'],
});
