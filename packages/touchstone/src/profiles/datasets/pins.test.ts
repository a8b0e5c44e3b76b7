import { describe, expect, it } from 'vitest';
import { checkPin, decidePin, type LockEntry, lockFile, readLock, writeLock } from './pins.js';
import { troubleOf } from './testing/reading.js';
import { parseDatasetUri } from './uri.js';

const ONE = '1'.repeat(64);
const TWO = '2'.repeat(64);
const REMOTE = 'https://example.com/rows.csv';
const lock = new Map([[REMOTE, { sha256: TWO, bytes: 3 }]]);

describe('what is asked of the bytes of a dataset', () => {
  it('the pin in the URI counts before the lock, and the lock before nothing', () => {
    const pinned = parseDatasetUri(`${REMOTE}#sha256=${ONE}`);
    expect(decidePin({ uri: pinned, lock })).toEqual({ kind: 'check', sha256: ONE, by: 'uri' });
    const uri = parseDatasetUri(REMOTE);
    expect(decidePin({ uri, lock, status: 'published' })).toEqual({ kind: 'check', sha256: TWO, by: 'lock' });
  });

  it.each(['rows.csv', 'pack:rows.csv', 'file:///rows.csv', 'data:text/csv,input'])(
    '%s without a pin is written down',
    (uri) => {
      expect(decidePin({ uri: parseDatasetUri(uri), status: 'published' })).toEqual({ kind: 'record' });
    },
  );

  it.each([REMOTE, 'http://127.0.0.1/rows.csv', 's3://data/rows.csv', 'gs://data/rows.csv'])(
    '%s without a pin is a warning in a draft, and an error once published',
    async (text) => {
      const uri = parseDatasetUri(text);
      for (const question of [
        { uri },
        { uri, status: 'draft' as const },
        { uri, status: 'published' as const, override: true },
      ]) {
        expect(decidePin(question)).toMatchObject({ kind: 'warn', warning: { code: 'dataset_unpinned' } });
      }
      const decision = decidePin({ uri, status: 'published' });
      expect(decision).toMatchObject({ kind: 'error' });
      const refuse = () => {
        throw (decision as { error: Error }).error;
      };
      expect(await troubleOf(refuse)).toMatchObject({ code: 'dataset_unpinned' });
    },
  );

  it('a mismatch is an error', async () => {
    expect(() => checkPin(ONE, ONE)).not.toThrow();
    expect(await troubleOf(() => checkPin(ONE, TWO))).toMatchObject({ code: 'dataset_mismatch' });
  });
});

describe('the lock beside a definition', () => {
  it('is the same text whatever the order, and reads back as it was written', () => {
    const entries: [string, LockEntry][] = [
      ['s3://b/x', { sha256: ONE, bytes: 1 }],
      [REMOTE, { sha256: TWO, bytes: 0 }],
    ];
    const text = writeLock(new Map(entries));
    expect(text).toBe(writeLock(new Map([...entries].reverse())));
    expect(text.endsWith('}\n')).toBe(true);
    expect(readLock(text)).toEqual(new Map(entries));
    expect(lockFile('agents/a.json')).toBe('agents/a.json.lock.json');
  });

  it.each([
    ['{', '1: The file ends too early. Expected a member name in double quotes.'],
    ['[]', '1: Expected a lock file: "lockVersion" 1 and "datasets", an object.'],
    [
      '{"lockVersion":2,"datasets":{}}',
      '1: Expected a lock file: "lockVersion" 1 and "datasets", an object.',
    ],
    [
      `{"lockVersion":1,"datasets":{"a":{"sha256":"${ONE}","bytes":1},\n"b":{"sha256":"ABC","bytes":1}}}`,
      '2:/datasets/b Expected "sha256", 64 hex digits in lower case, and "bytes", a whole number.',
    ],
    [
      `{"lockVersion":1,"datasets":{"a":{"sha256":"${ONE}","bytes":-1}}}`,
      '1:/datasets/a Expected "sha256", 64 hex digits in lower case, and "bytes", a whole number.',
    ],
    [
      `{"lockVersion":1,"datasets":{"a":{"sha256":"${ONE}","bytes":1},"a":{"sha256":"${TWO}","bytes":1}}}`,
      '1:/datasets/a This member name is already used in the same object.',
    ],
  ])('%j is refused', async (text, issue) => {
    expect(await troubleOf(() => readLock(text))).toEqual({ code: 'invalid_lock', issues: [issue] });
  });
});
