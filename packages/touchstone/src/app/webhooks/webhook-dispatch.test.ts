import { asId, type Owner, type RunId } from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import { describe, expect, it } from 'vitest';
import type { AppendNotice, Log, Run, Store } from '../../ports/index.js';
import { createDispatch } from './webhook-dispatch.js';
import type { Endpoint } from './webhook-endpoint.js';

const owner: Owner = { tenant: 'acme', workspace: 'main' };
const runId = asId<RunId>('run-1');

/** A log of so many events that has them all from the start, though their commits are told one by one. */
function setUp(eventCount: number, endpoints: readonly Endpoint[] | Error = [endpointOf([])]) {
  const events = Array.from({ length: eventCount }, (_, sequence) => ({
    runId,
    sequence,
    type: 'run.started',
  }));
  const reads: number[] = [];
  const errors: string[] = [];
  let tell: (appended: AppendNotice) => void = () => undefined;
  const store = {
    runs: { get: async () => ({ plan: {}, request: {} }) as Run },
    log: {
      watchAll(listener: typeof tell) {
        tell = listener;
        return () => undefined;
      },
      async read(_: Owner, __: RunId, after: number, limit: number) {
        reads.push(after);
        return events.slice(after + 1, after + 1 + limit) as unknown as RunEvent[];
      },
    },
  } as unknown as Store;
  const dispatch = createDispatch({
    store,
    log: { error: (event: string) => errors.push(event) } as unknown as Log,
    endpoints: {
      hasNone: () => false,
      async of() {
        if (endpoints instanceof Error) throw endpoints;
        return endpoints;
      },
    },
  });
  dispatch.start();
  const append = (firstSequence: number, count: number, by = owner) =>
    tell({ owner: by, runId, firstSequence, eventCount: count });
  return { append, dispatch, reads, errors, store };
}

function endpointOf(offered: number[], done: (count: number) => void = () => undefined): Endpoint {
  return {
    isOpenTo: () => true,
    wants: () => true,
    offer: ({ sequence }) => done(offered.push(sequence)),
    close: async () => undefined,
  };
}

function collecting(expected: number) {
  const offered: number[] = [];
  let finish: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { offered, complete, endpoint: endpointOf(offered, (count) => count === expected && finish()) };
}

describe('what is committed while earlier events are being read', () => {
  it('is handed on once, after them, and in one piece', async () => {
    const { offered, complete, endpoint } = collecting(500);
    const { append, dispatch, reads } = setUp(500, [endpoint]);
    append(0, 2);
    for (let sequence = 2; sequence < 500; sequence += 1) append(sequence, 1);
    await complete;
    await dispatch.stop();
    expect(offered).toEqual(Array.from({ length: 500 }, (_, sequence) => sequence));
    expect(reads).toEqual([-1, 1, 201, 401]);
  });

  it('leaves out what another process wrote in between: that one tells it', async () => {
    const { offered, complete, endpoint } = collecting(4);
    const { append } = setUp(10, [endpoint]);
    append(0, 2);
    append(7, 2);
    await complete;
    expect(offered).toEqual([0, 1, 7, 8]);
  });
});

it('a tenant whose log takes long to read does not hold up the events of another', async () => {
  const { offered, complete, endpoint } = collecting(1);
  const { append, dispatch, store } = setUp(2, [endpoint]);
  let read: () => void = () => undefined;
  const { read: readNow } = store.log;
  const silent = new Promise<void>((resolve) => {
    read = resolve;
  });
  Object.assign(store.log, {
    async read(of: Owner, ...rest: [RunId, number, number]) {
      if (of.tenant === 'rival') await silent;
      return readNow(of, ...rest);
    },
  });
  append(0, 1, { tenant: 'rival', workspace: 'main' });
  append(1, 1);
  await complete;
  expect(offered).toEqual([1]);
  read();
  await dispatch.stop();
});

it('a store that fails costs the events at hand, and is said', async () => {
  const { append, dispatch, errors } = setUp(2, new Error('disk'));
  append(0, 1);
  await dispatch.stop();
  expect(errors).toEqual(['webhook.intakeFailed']);
});
