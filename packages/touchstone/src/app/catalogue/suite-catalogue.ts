import { type Digest, HOST_OWNER, HostError, type Owner, type SuiteId } from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import type { Clock, Page, Store, Suite, SuiteHead } from '../../ports/index.js';
import { highestVersion, parseSuiteReference } from '../../suites/index.js';
import type { SuiteVisible } from './entries.js';
import { hostsFirst } from './entries.js';

/**
 * Where suites are kept and found: an owner's own, and the host's, which every tenant may read and no tenant may change.
 * Of a suite that is named without a version, the host's versions go before an owner's.
 */
export type SuiteCatalogue = {
  install(owner: Owner, suite: Suite): Promise<'created' | 'same'>;
  /** Without the rule that versions do not change: for a developer's own file, edited between runs. */
  replace(owner: Owner, suite: Suite): Promise<void>;
  find(owner: Owner, reference: string): Promise<SuiteVisible | undefined>;
  list(owner: Owner, limit: number, cursor?: string): Promise<Page<SuiteHead>>;
  read(visible: SuiteVisible): Promise<Suite>;
  head(owner: Owner, digest: Digest): Promise<SuiteHead | undefined>;
  tasks(owner: Owner, digest: Digest, from: number, limit: number): Promise<readonly Task[]>;
};

export function createSuiteCatalogue(store: Store, clock: Clock): SuiteCatalogue {
  const { suites } = store;
  const latest = createLatestSuite();

  const put = async (owner: Owner, suite: Suite): Promise<void> => {
    await suites.put(owner, suite, clock.now());
    latest.remember(owner, suite);
  };

  const highestOf = async (holder: Owner, suiteId: SuiteId): Promise<SuiteVisible | undefined> => {
    const version = highestVersion(await suites.versions(holder, suiteId));
    const head = version && (await suites.get(holder, suiteId, version));
    return head && { head, owner: holder };
  };

  const find = async (owner: Owner, reference: string): Promise<SuiteVisible | undefined> => {
    const { suiteId, version } = parseSuiteReference(reference);
    // A name that the host has is the host's: what a tenant puts beside it has to be named with its version.
    if (version === undefined)
      return (await highestOf(HOST_OWNER, suiteId)) ?? (await highestOf(owner, suiteId));
    for (const holder of [owner, HOST_OWNER]) {
      const head = await suites.get(holder, suiteId, version);
      if (head) return { head, owner: holder };
    }
    return undefined;
  };

  return {
    find,
    async install(owner, suite) {
      const { suiteId, version, digest } = suite.head;
      const present = await find(owner, `${suiteId}@${version}`);
      if (present?.head.digest === digest) return 'same';
      if (present) {
        throw new HostError(
          'conflict',
          `Suite ${suiteId}@${version} is installed with other content. Versions do not change: raise the version.`,
        );
      }
      await put(owner, suite);
      return 'created';
    },
    replace: put,
    list: (owner, limit, cursor) => hostsFirst(suites.list, owner, limit, cursor),
    async read({ head, owner }) {
      const tasks: Task[] = [];
      for await (const page of taskPages(store, owner, head)) tasks.push(...page);
      return { head, tasks };
    },
    head: (owner, digest) => suiteByDigest(store, owner, digest),
    async tasks(owner, digest, from, limit) {
      const atHand = latest.tasksOf(owner, digest);
      if (atHand) return atHand.slice(from, from + limit);
      const own = await suites.tasks(owner, digest, from, limit);
      return own.length > 0 ? own : suites.tasks(HOST_OWNER, digest, from, limit);
    },
  };
}

/**
 * The suite that was stored last, for as long as somebody else holds it. A run of a file begins with what was just read,
 * and need not read it back.
 */
function createLatestSuite() {
  let latest: { readonly key: string; readonly tasks: WeakRef<readonly Task[]> } | undefined;
  const keyOf = ({ tenant, workspace }: Owner, digest: Digest): string =>
    JSON.stringify([tenant, workspace, digest]);
  return {
    remember(owner: Owner, { head, tasks }: Suite): void {
      latest = { key: keyOf(owner, head.digest), tasks: new WeakRef(tasks) };
    },
    tasksOf: (owner: Owner, digest: Digest): readonly Task[] | undefined =>
      latest?.key === keyOf(owner, digest) ? latest.tasks.deref() : undefined,
  };
}

const PAGE = 256;

/** A suite's tasks in order, a page at a time. */
export async function* taskPages(
  store: Store,
  owner: Owner,
  head: SuiteHead,
): AsyncGenerator<readonly Task[]> {
  for (let from = 0; from < head.taskCount; from += PAGE)
    yield await store.suites.tasks(owner, head.digest, from, PAGE);
}

/** The suite of a digest, of the owner or of the host. */
export const suiteByDigest = async (
  { suites }: Pick<Store, 'suites'>,
  owner: Owner,
  digest: Digest,
): Promise<SuiteHead | undefined> =>
  (await suites.byDigest(owner, digest)) ?? suites.byDigest(HOST_OWNER, digest);

/** The contract of a digest, of the owner or of the host. */
export const contractByDigest = async ({ suites }: Pick<Store, 'suites'>, owner: Owner, digest: Digest) =>
  (await suites.contract(owner, digest)) ?? suites.contract(HOST_OWNER, digest);

/** Who keeps the suite of a digest: the owner, or the host for everyone. */
export async function ownerOfSuite(
  { suites }: Pick<Store, 'suites'>,
  owner: Owner,
  digest: Digest,
): Promise<Owner | undefined> {
  for (const holder of [owner, HOST_OWNER]) if (await suites.byDigest(holder, digest)) return holder;
  return undefined;
}
