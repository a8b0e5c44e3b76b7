import type { Sessions } from '../ports/index.js';
import type { Db } from './db.js';
import { numberAt, textAt } from './rows.js';

const CLEAR = 'DELETE FROM sessions WHERE expires_at <= ?';
const PUT = 'INSERT INTO sessions (session_hash, key_hash, expires_at, seen_at) VALUES (?, ?, ?, ?)';
const GET = 'SELECT session_hash, key_hash, expires_at, seen_at FROM sessions WHERE session_hash = ?';
const TOUCH = 'UPDATE sessions SET seen_at = ? WHERE session_hash = ?';
const REMOVE = 'DELETE FROM sessions WHERE session_hash = ?';

export function createSessions(db: Db): Sessions {
  const write = async (sql: string, params: readonly (string | number)[]): Promise<void> => {
    await db.transaction([{ sql, params }]);
  };
  return {
    async put({ sessionHash, keyHash, expiresAt, seenAt }, now) {
      const put = { sql: PUT, params: [sessionHash, keyHash, expiresAt, seenAt] };
      await db.transaction([{ sql: CLEAR, params: [now] }, put]);
    },
    async get(sessionHash) {
      const [row] = await db.all(GET, [sessionHash]);
      return (
        row && {
          sessionHash: textAt(row, 'session_hash'),
          keyHash: textAt(row, 'key_hash'),
          expiresAt: numberAt(row, 'expires_at'),
          seenAt: numberAt(row, 'seen_at'),
        }
      );
    },
    touch: (sessionHash, at) => write(TOUCH, [at, sessionHash]),
    remove: (sessionHash) => write(REMOVE, [sessionHash]),
  };
}
