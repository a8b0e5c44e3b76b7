import type { Digest, Owner, TaskId } from '@touchstone/protocol';
import type { Store } from '../../../ports/index.js';
import { ownerOfSuite, suiteByDigest, taskPages } from '../../catalogue/suite-catalogue.js';

/** The tasks of a suite by their ids, each with its place; in the order of the suite. */
export type TaskOrdinals = ReadonlyMap<TaskId, number>;
export type OrdinalsReader = { of(owner: Owner, digest: Digest): Promise<TaskOrdinals> };

/** So many suites are kept: a suite of a digest never changes. */
const MOST_KEPT = 8;

export function createOrdinalsReader(store: Store): OrdinalsReader {
  const kept = new Map<string, TaskOrdinals>();
  return {
    async of(owner, digest) {
      const key = JSON.stringify([owner.tenant, owner.workspace, digest]);
      const ordinals = kept.get(key) ?? (await readOrdinals(store, owner, digest));
      kept.delete(key);
      kept.set(key, ordinals);
      for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest);
      return ordinals;
    },
  };
}

async function readOrdinals(store: Store, owner: Owner, digest: Digest): Promise<TaskOrdinals> {
  const holder = await ownerOfSuite(store, owner, digest);
  const head = holder && (await suiteByDigest(store, holder, digest));
  const ordinals = new Map<TaskId, number>();
  if (!holder || !head) return ordinals;
  for await (const page of taskPages(store, holder, head))
    for (const { taskId } of page) ordinals.set(taskId, ordinals.size);
  return ordinals;
}
