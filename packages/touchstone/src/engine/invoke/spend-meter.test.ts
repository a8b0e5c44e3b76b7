import { asId, HOST_OWNER, type RunId } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type { Store, Usage } from '../../ports/index.js';
import { openSpendMeter } from './spend-meter.js';

it('a model that an agent names is put into the ledger without the secrets of this host', async () => {
  const recorded: Usage[] = [];
  const ledger = {
    total: async () => ({ usd: 0 }),
    record: async (_owner: unknown, _run: unknown, calls: readonly Usage[]) => void recorded.push(...calls),
  };
  const redact = (text: string) => text.replaceAll('hunter2hunter2', '[REDACTED:k]');
  const parts = { priceOf: () => undefined, redact };
  const runId = asId<RunId>('run-1');
  const meter = await openSpendMeter(
    { ledger } as unknown as Store,
    HOST_OWNER,
    runId,
    parts,
    () => undefined,
  );
  const call = { provider: 'desk', model: 'Bearer hunter2hunter2', inputTokens: 1, outputTokens: 1 } as Usage;
  const cleaned = [{ ...call, model: 'Bearer [REDACTED:k]' }];
  expect(await meter.spend([call])).toEqual(cleaned);
  expect(recorded).toEqual(cleaned);
});
