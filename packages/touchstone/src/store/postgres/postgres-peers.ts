import { createHash, randomBytes } from 'node:crypto';
import { asId, type RunId } from '@touchstone/protocol';
import type { Db } from '../db.js';
import { createListeners } from '../log/watchers.js';
import type { Peers, Topic } from '../peers.js';
import { createBursts } from './bursts.js';
import { createFollowedRuns } from './followed-runs.js';
import { createGoneHolders } from './gone-holders.js';
import type { Driver } from './open-client.js';
import type { PostgresAddress } from './postgres-address.js';
import { REAL_TIME } from './real-time.js';
import { lockName, openSession, type Session } from './session.js';

type Options = {
  readonly driver: Driver;
  readonly address: PostgresAddress;
  readonly db: Pick<Db, 'all'>;
};

/** The holders that can be checked by their lock have this at the end of their names. */
const MARK = '|session';
export const withSession = (holder: string): string => `${holder}${MARK}`;

/** `probe` is of a process that finds out whether it hears anything. */
type Notice = {
  readonly from: string;
  readonly topic: Topic | 'probe';
  readonly runId: string;
  readonly detail: string;
  /** Names of those that it is for; everybody when absent. */
  readonly to?: readonly string[] | undefined;
};

const NOTIFY =
  'SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS notice (channel, payload)';
const PROBE = 'SELECT pg_notify(?, ?)';
/** A server that is there delivers within milliseconds. */
const PROBE_MS = 2_000;

/** Somebody reads a log: it is told of 20 times a second. Otherwise once a second is enough for those who look by themselves. */
const FOLLOWED_MS = 50;
const UNFOLLOWED_MS = 1_000;

/**
 * Peers by notifications and by locks of a session. Undefined where the connection is not ours alone, as behind a pooler in
 * transaction mode: there nothing is heard, and a lock says nothing about its process.
 */
export async function openPeers(holder: string, options: Options): Promise<Peers | undefined> {
  const { driver, address, db } = options;
  const channel = channelOf(address);
  const from = randomBytes(6).toString('base64url');
  const listeners = createListeners<Notice>();
  const heard = (payload: string): void => {
    const notice = parse(payload);
    if (notice.from === from && notice.topic !== 'probe') return;
    if (notice.topic === 'follow') followed.heard(notice.runId);
    listeners.notify(notice.topic, () => notice);
  };
  const followed = createFollowedRuns(REAL_TIME, (runId) => notify('follow', asId<RunId>(runId)));
  const channels = [channel, channelOf(address, holder)];
  const session = await openSession({ driver, address, clock: REAL_TIME, channels, onNotice: heard });
  const probe = (): Promise<unknown> =>
    db.all(PROBE, [channel, write({ from, topic: 'probe', runId: '', detail: '' })]);
  if (!(await isHeard(listeners, from, probe))) {
    await session.close();
    return undefined;
  }
  await session.tryLock(holder);
  session.keepLock(holder);
  const everyMs = ({ topic, runId }: Notice): number =>
    topic !== 'log' || followed.has(runId) ? FOLLOWED_MS : UNFOLLOWED_MS;
  const bursts = createBursts<Notice>(REAL_TIME, everyMs, (notices) => {
    const sent = notices.flatMap((notice) =>
      (notice.to?.map((name) => channelOf(address, name)) ?? [channel]).map((to) => ({ to, notice })),
    );
    void session.query(NOTIFY, [sent.map(({ to }) => to), sent.map(({ notice }) => write(notice))]);
  });
  const notify: Peers['notify'] = (topic, runId, detail = '', to = undefined) =>
    bursts.add(`${topic} ${runId} ${detail}`, { from, topic, runId, detail, to });
  const gone = createGoneHolders(REAL_TIME, (holders) => freeLocks(session, address, holders));
  return {
    notify,
    follow: followed.follow,
    presence: () => session.lockNumber(holder),
    listen: (topic, listener) =>
      listeners.add(topic, ({ runId, detail }) => listener(asId<RunId>(runId), detail)),
    look: (holders) => gone.look(holders.filter((one) => one.endsWith(MARK))),
    isGone: gone.has,
    holdAlone: session.tryLock,
    async close() {
      bursts.close();
      followed.close();
      await session.close();
    },
  };
}

/** Of all processes of a store, or of one. Such names have an end, and schemas and machines may have long ones. */
const channelOf = ({ schema }: Pick<PostgresAddress, 'schema'>, name = ''): string =>
  `touchstone_${createHash('sha256').update(lockName({ schema }, name)).digest('hex').slice(0, 32)}`;

const write = ({ from, topic, runId, detail }: Notice): string => [from, topic, runId, detail].join(' ');
function parse(payload: string): Notice {
  const [from = '', topic = '', runId = '', detail = ''] = payload.split(' ');
  return { from, topic: topic as Topic, runId, detail };
}

/** Whether a notice that another connection sends arrives here. */
async function isHeard(
  listeners: ReturnType<typeof createListeners<Notice>>,
  from: string,
  probe: () => Promise<unknown>,
): Promise<boolean> {
  const over = new AbortController();
  const arrival = new Promise<true>((resolve) => {
    const stop = listeners.add('probe', (notice) => notice.from === from && resolve(true));
    over.signal.addEventListener('abort', stop);
  });
  await probe();
  const late = REAL_TIME.sleep(PROBE_MS, over.signal).then(
    () => false,
    () => false,
  );
  const found = await Promise.race([arrival, late]);
  over.abort();
  return found;
}

const FREE_LOCKS = `SELECT holder, pg_try_advisory_xact_lock_shared(hashtextextended($1 || holder, 0)) AS free
  FROM unnest($2::text[]) AS holder`;

/** After a loss of all connections, as by a restart of the server, every process has this long to get its lock again. */
const SETTLED_MS = 5_000;

/** Shared, so that several processes that look at once do not meet; held for the one statement only. */
async function freeLocks(
  session: Session,
  address: PostgresAddress,
  holders: readonly string[],
): Promise<readonly string[] | undefined> {
  if (session.connectedMs() < SETTLED_MS) return undefined;
  const rows = await session.query(FREE_LOCKS, [lockName(address, ''), holders]);
  return rows?.filter(({ free }) => free === 1).map(({ holder }) => String(holder));
}
