import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRandom, SEED } from '../setup/seed.js';
import { KEY, kill, type Serving, serve, temporaryFolder, writeProject } from './processes.js';

// Goal: 500 creates whose answers nobody has seen, because the host was killed, are 500 runs when they are repeated under
// their keys. Method: real processes; each is sent 25 creates at once and killed after a random number of answers, which are
// thrown away; the last one is sent all of them again, twice.
const ROUNDS = 20;
const AT_ONCE = 25;
const random = createRandom();

let folder: ReturnType<typeof temporaryFolder>;
let serving: Serving | undefined;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  if (serving) await kill(serving);
  folder.remove();
});

const create = (url: string, key: string): Promise<Response> =>
  fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ workflowId: 'conformance-noop', metadata: { key } }),
  });

/** Resolves when so many answers have come, whatever becomes of the others. */
function answers(requests: readonly Promise<Response>[], wanted: number): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    for (const request of requests)
      request.then(
        () => {
          count += 1;
          if (count >= wanted) resolve();
        },
        () => undefined,
      );
  });
}

async function runIdsOf(url: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const response = await fetch(`${url}/v1/host/touchstone/runs?limit=200${cursor}`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    const page = (await response.json()) as { items: { runId: string }[]; nextCursor?: string };
    ids.push(...page.items.map(({ runId }) => runId));
    if (page.nextCursor === undefined) return ids;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

it(`500 creates that kill -9 left without an answer are 500 runs when they are repeated (seed ${SEED})`, async () => {
  writeProject(folder.path, 1);
  const keys: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    serving = await serve([], folder.path);
    const { url } = serving;
    const own = Array.from({ length: AT_ONCE }, (_, n) => `${round}-${n}`);
    const sent = own.map((key) => create(url, key));
    await answers(sent, 1 + Math.floor(random() * (AT_ONCE - 1)));
    await kill(serving);
    await Promise.allSettled(sent);
    keys.push(...own);
  }
  serving = await serve([], folder.path);
  const { url } = serving;
  const repeat = async (): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (const key of keys) {
      const response = await create(url, key);
      expect({ key, status: response.status }).toEqual({ key, status: 201 });
      ids.push(((await response.json()) as { runId: string }).runId);
    }
    return ids;
  };
  const first = await repeat();
  expect(new Set(first).size).toBe(ROUNDS * AT_ONCE);
  expect(await repeat()).toEqual(first);
  expect([...(await runIdsOf(url))].sort()).toEqual([...first].sort());
});
