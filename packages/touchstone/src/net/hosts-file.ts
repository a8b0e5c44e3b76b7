import type { LookupAddress } from 'node:dns';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../ports/index.js';

/** Addresses of names that this machine knows by itself: `localhost`, and those of its hosts file. */
export type HostsFile = { find(host: string): Promise<readonly LookupAddress[] | undefined> };

export const hostsPath = (platform = process.platform, env = process.env): string =>
  platform === 'win32'
    ? join(env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';

type Entries = ReadonlyMap<string, readonly LookupAddress[]>;

/** Every request to an agent asks for a name, and a change of the file may be seen a second later. */
const LOOK_AGAIN_MS = 1_000;

/** Reads the file again when it has changed. A file that cannot be read has no names. */
export function createHostsFile(clock: Pick<Clock, 'elapsed'>, path = hostsPath()): HostsFile {
  let known: { readonly mark: string; readonly entries: Promise<Entries> } | undefined;
  let current: { readonly entries: Promise<Entries>; readonly until: number } | undefined;

  function entries(): Promise<Entries> {
    const now = clock.elapsed();
    if (!current || current.until <= now) current = { entries: read(), until: now + LOOK_AGAIN_MS };
    return current.entries;
  }

  async function read(): Promise<Entries> {
    const { mtimeMs = 0, size = 0 } = await stat(path).catch(
      () => ({}) as { mtimeMs?: number; size?: number },
    );
    const mark = `${mtimeMs} ${size}`;
    if (known?.mark !== mark)
      known = { mark, entries: readFile(path, 'utf8').then(parseHosts, () => new Map()) };
    return known.entries;
  }

  return {
    async find(host) {
      const name = plainName(host);
      return (await entries()).get(name) ?? (LOOPBACK_NAME.test(name) ? LOOPBACK : undefined);
    },
  };
}

/** RFC 6761: these names are this machine, whatever a server says. */
const LOOPBACK_NAME = /(^|\.)localhost$/;
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** As names are compared: in small letters, and without the dot that ends a fully qualified one. */
const plainName = (host: string): string => host.toLowerCase().replace(/\.$/, '');

export function parseHosts(text: string): Entries {
  const entries = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map(plainName))
      entries.set(name, [...(entries.get(name) ?? []), { address, family }]);
  }
  return entries;
}
