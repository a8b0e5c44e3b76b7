import type { AuditEntry, Owner } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import { createSigningKey, openCheckpoint, publicKeyOf } from '../../evidence/index.js';
import { createMemoryStore } from '../../store/index.js';
import { systemClock } from '../system.js';
import { createCheckpoints } from './checkpoints.js';
import { verifyAudit } from './directory.js';

const ACME: Owner = { tenant: 'acme', workspace: 'main' };
const GLOBEX: Owner = { tenant: 'globex', workspace: 'main' };
const { privateKey } = createSigningKey();
const KEY = { keyId: 'host', publicKey: publicKeyOf(privateKey) };
const entry = {
  at: 1,
  principal: 'ann',
  action: 'deploy:promote',
  resource: 'agents/a@1',
  allowed: true,
} as never as AuditEntry;

async function opened(signs = true) {
  const { audit } = await createMemoryStore(systemClock);
  const signing = signs ? async () => ({ keyId: 'host', privateKey }) : undefined;
  return {
    audit,
    checkpoints: createCheckpoints({ audit, clock: { now: () => 7 }, signing, version: '1.0.0' }),
  };
}

it('a log is signed whenever it has grown by so many records, each owner by itself', async () => {
  const { audit, checkpoints } = await opened();
  expect(await checkpoints.makeDue(2)).toBe(0);
  for (const owner of [ACME, ACME, GLOBEX]) await audit.append(owner, entry);
  expect(await checkpoints.makeDue(2)).toBe(1);
  expect(await checkpoints.makeDue(2)).toBe(0);
  await audit.append(ACME, entry);
  expect(await checkpoints.makeDue(2)).toBe(0);
  await audit.append(ACME, entry);
  expect(await checkpoints.makeDue(2)).toBe(1);
  expect((await audit.checkpoints(ACME, 0, 9)).map(({ seq }) => seq)).toEqual([2, 4]);
  expect(await audit.checkpoints(GLOBEX, 0, 9)).toEqual([]);
});

it('a checkpoint says whose log it is, and the same head is signed once', async () => {
  const { audit, checkpoints } = await opened();
  const { seq, digest } = await audit.append(ACME, entry);
  const made = await checkpoints.make(ACME);
  const { predicate, signers } = openCheckpoint(made.envelope, [KEY]);
  expect(signers).toEqual([KEY]);
  expect(predicate).toMatchObject({ owner: ACME, records: seq, head: digest });
  expect(await checkpoints.make(ACME)).toEqual(made);
  expect(await audit.checkpoints(ACME, 0, 9)).toHaveLength(1);
});

it('a row that says something else than its envelope does not hold', async () => {
  const { audit, checkpoints } = await opened();
  const { digest } = await audit.append(ACME, entry);
  const { envelope } = await checkpoints.make(ACME);
  expect(await verifyAudit(audit, ACME)).toMatchObject({ valid: true, chainValid: true });
  await audit.append(GLOBEX, entry);
  await audit.keepCheckpoint(GLOBEX, { seq: 1, keyId: 'host', head: digest, at: 7, envelope });
  const { valid, chainValid, checkpoints: found } = await verifyAudit(audit, GLOBEX);
  expect([valid, chainValid, found[0]?.holds]).toEqual([false, false, false]);
});

it('an empty log and a host without a key sign nothing', async () => {
  const { checkpoints } = await opened();
  await expect(checkpoints.make(ACME)).rejects.toMatchObject({ code: 'not_found' });
  const keyless = await opened(false);
  await keyless.audit.append(ACME, entry);
  await expect(keyless.checkpoints.make(ACME)).rejects.toMatchObject({ code: 'capability_not_provided' });
  expect(await keyless.checkpoints.makeDue(1)).toBe(0);
});
