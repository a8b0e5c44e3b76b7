import { TIMED_OUT, withinTime } from '../../../net/index.js';
import type { Clock } from '../../../ports/index.js';
import { type Connection, connect } from './connection.js';
import { LibraryMissing, type LoadMcp, type McpLibrary } from './library.js';
import { ConnectionLost } from './loss.js';
import type { McpServerSpec } from './server-spec.js';

export type SessionParts = {
  readonly clock: Clock;
  readonly load: LoadMcp;
  /** Where a relative `cwd` begins. */
  readonly baseDir: string;
  readonly maxOutcomeBytes: number;
  /** For getting connected. */
  readonly timeoutMs: number;
};

export type SessionOpening = { readonly connection: Connection } | { readonly reason: string };

/**
 * The one connection to a server, shared by all callers. It is made when it is first needed; a failure, its loss and
 * `drop` end it, and the next caller has a new one made.
 */
export type Session = {
  /** Never rejects. Callers that ask while it is being opened wait for the same one. */
  open(): Promise<SessionOpening>;
  drop(opening: Promise<SessionOpening>): void;
  /** Waits until every connection there was is gone. */
  close(): Promise<void>;
};

export function createSession(spec: McpServerSpec, parts: SessionParts): Session {
  const closing = new AbortController();
  const endings = new Set<Promise<unknown>>();
  let current: Promise<SessionOpening> | undefined;

  function forget(opening: Promise<SessionOpening>): void {
    if (current === opening) current = undefined;
  }

  /** Closes a connection that is no longer needed, as soon as it is open. */
  function end(connecting: Promise<Connection | undefined> | undefined): void {
    const ending: Promise<unknown> = Promise.resolve(connecting)
      .then((connection) => connection?.close())
      .catch(() => undefined)
      .finally(() => endings.delete(ending));
    endings.add(ending);
  }

  async function openOnce(onLost: () => void): Promise<SessionOpening> {
    const { clock, timeoutMs } = parts;
    let connecting: Promise<Connection> | undefined;
    const begin = (library: McpLibrary, over: AbortSignal) => {
      connecting = connect(spec, { ...parts, library }, over, onLost);
      return connecting;
    };
    try {
      const library = await parts.load();
      const opened = await withinTime(clock, timeoutMs, (over) => begin(library, over), closing.signal);
      if (opened !== TIMED_OUT) return { connection: opened };
      end(connecting);
      return { reason: `it was not ready within ${timeoutMs} ms` };
    } catch (error) {
      end(connecting);
      return { reason: closing.signal.aborted ? 'this host is closing' : whyNot(error) };
    }
  }

  return {
    open() {
      if (current) return current;
      const opening: Promise<SessionOpening> = openOnce(() => forget(opening)).then((opened) => {
        if ('reason' in opened) forget(opening);
        return opened;
      });
      current = opening;
      return opening;
    },
    drop(opening) {
      if (current !== opening) return;
      forget(opening);
      end(opening.then(connectionOf));
    },
    async close() {
      closing.abort();
      end(current?.then(connectionOf));
      // The end of one may be the beginning of another's: an opening that is broken off leaves a connection to end.
      while (endings.size > 0) await Promise.all(endings);
    },
  };
}

const connectionOf = (opened: SessionOpening): Connection | undefined =>
  'connection' in opened ? opened.connection : undefined;

const whyNot = (error: unknown): string =>
  error instanceof ConnectionLost || error instanceof LibraryMissing
    ? error.message
    : 'its connection could not be made';
