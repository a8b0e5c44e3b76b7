import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asId, type Owner } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type { Clock, CreationId } from '../ports/index.js';
import { processHolder } from './log/leases.js';
import { openStore } from './open-store.js';

const clock: Clock = { now: () => 0, elapsed: () => 0, sleep: () => Promise.resolve() };
const OWNER: Owner = { tenant: 'acme', workspace: 'main' };

it('a claim of a process that was killed is taken over at once, with the name of what it may have created', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-claims-'));
  const file = join(folder, 'store.db');
  const { pid } = spawnSync(process.execPath, ['--version']);
  const [host, space] = processHolder().split('|');
  const killed = await openStore({ file, clock, holder: [host, space, pid, '1'].join('|') });
  const next = await openStore({ file, clock });
  const claim = (store: typeof next, creationId: string, requestDigest = 'd') =>
    store.idempotency.claim(
      OWNER,
      { operation: 'o', key: 'k' },
      { requestDigest, creationId: asId<CreationId>(creationId), now: 1, leaseMs: 60_000, keepMs: 90_000 },
    );
  await claim(killed, 'c1');
  expect(await claim(next, 'c2', 'other')).toEqual({ kind: 'mismatch' });
  expect(await claim(next, 'c3')).toEqual({ kind: 'claimed', creationId: 'c1' });
  expect(await claim(next, 'c4')).toEqual({ kind: 'in-flight' });
  await killed.close();
  await next.close();
  await rm(folder, { recursive: true });
});
