import { describe, expect, it } from 'vitest';
import { OutcomeUnknown } from '../db.js';
import { createConnection } from './connection.js';
import type { Driver } from './open-client.js';
import type { PostgresAddress } from './postgres-address.js';

const ENDING = Object.assign(new Error('terminating connection'), { code: '57P01' });
const RESET = new Error('read ECONNRESET');
const CLOSED = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });

/** A server that answers each statement as it is told to: with nothing wrong, or with an error. */
function sendTo(errors: readonly (Error | undefined)[]) {
  let at = 0;
  const client = {
    connect: async () => undefined,
    on: () => undefined,
    end: async () => undefined,
    query: (_: unknown, answered: (error: unknown, result?: object) => void) => {
      const error = errors[at];
      at += 1;
      if (error) answered(error);
      else answered(null, { command: 'OK', rowCount: 0, rows: [] });
    },
  };
  const driver = {
    Client: class {
      constructor() {
        Object.assign(this, client);
      }
    },
  } as unknown as Driver;
  const statements = errors.map(() => ({ text: 'x' })) as never;
  return createConnection(driver, { url: 'postgres://db/x' } as PostgresAddress).send(statements);
}

describe('a connection that ends', () => {
  it('before the last statement has kept nothing, which the answers say', async () => {
    const answers = await sendTo([undefined, ENDING, ENDING]);
    expect(answers.map((answer) => 'error' in answer)).toEqual([false, true, true]);
  });

  it('at the last statement may have committed: what became of it is not known', async () => {
    await expect(sendTo([undefined, undefined, ENDING])).rejects.toBeInstanceOf(OutcomeUnknown);
    await expect(sendTo([ENDING])).rejects.toBeInstanceOf(OutcomeUnknown);
  });

  it('without a word is not known either, wherever that was', async () => {
    await expect(sendTo([undefined, RESET, RESET])).rejects.toBeInstanceOf(OutcomeUnknown);
    await expect(sendTo([CLOSED])).rejects.toBeInstanceOf(OutcomeUnknown);
    await expect(sendTo([undefined, CLOSED, CLOSED])).rejects.toBeInstanceOf(OutcomeUnknown);
  });
});
