import { asId, HostError, type RunId } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Interrupt } from '../../ports/index.js';
import { createInterruptTokens } from './interrupt-tokens.js';

const NOW = 1_700_000_000_000;
const clock = { at: NOW, now: () => clock.at };
const tokens = createInterruptTokens({ secret: async (name) => `secret of ${name}` }, clock);
const interrupt: Interrupt = {
  runId: asId<RunId>('run-1'),
  nodeId: 'approval',
  interruptId: 'interrupt-1',
  key: 'run-1:approval:0',
  kind: 'approval',
  data: toBody({}),
  requestedAt: NOW,
  resolved: false,
};
const holder = {
  owner: { tenant: 'acme', workspace: 'main' },
  principal: 'alice',
  roles: ['approver'],
  intent: 'resolve',
} as const;
const codeOf = (token: string): Promise<string> =>
  tokens.read(token).then(
    () => 'fine',
    (error: unknown) => (error instanceof HostError ? error.code : 'something else'),
  );

it('says what it was made for until it expires', async () => {
  const { token, expiresAt } = await tokens.make(interrupt, holder, 60);
  expect(expiresAt).toBe(NOW + 60_000);
  expect(await tokens.read(token)).toEqual({
    ...holder,
    runId: 'run-1',
    nodeId: 'approval',
    interruptId: 'interrupt-1',
    expiresAt,
  });
  clock.at = expiresAt;
  expect(await codeOf(token)).toBe('interrupt_expired');
  clock.at = NOW;
});

it('is never good for longer than its question is open', async () => {
  const { expiresAt } = await tokens.make({ ...interrupt, deadline: NOW + 5_000 }, holder, 60);
  expect(expiresAt).toBe(NOW + 5_000);
});

it('is worth nothing with one bit changed', async () => {
  const { token } = await tokens.make(interrupt, holder, 60);
  const bytes = Buffer.from(token);
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const other = Buffer.from(bytes);
    other[bit >> 3] = (other[bit >> 3] as number) ^ (1 << (bit & 7));
    const changed = other.toString('latin1');
    expect([bit, await codeOf(changed)]).toEqual([bit, 'interrupt_not_found']);
  }
});

it('made of anything else leads nowhere, and never to an error of ours', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 200 }), async (text) => {
      expect(await codeOf(text)).toBe('interrupt_not_found');
    }),
  );
});
