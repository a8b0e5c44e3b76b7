import {
  type Digest,
  HOST_OWNER,
  HostError,
  isHostError,
  type Owner,
  type SuiteId,
} from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import { vouchesForPack } from '../../evidence/index.js';
import { type Trust, verifySuite } from '../../packs/index.js';
import type { Clock, Page, Store, Suite, SuiteHead, SuiteSignature } from '../../ports/index.js';
import { highestVersion, parseSuiteReference } from '../../suites/index.js';
import type { SuiteVisible } from './entries.js';
import { hostsFirst } from './entries.js';

/**
 * Where suites are kept and found: an owner's own, and the host's, which every tenant may read and no tenant may change.
 * Of a suite that is named without a version, the host's versions go before an owner's.
 */
export type SuiteCatalogue = {
  /** The envelope that came with it is held against the trust policy. */
  install(owner: Owner, suite: Suite, envelope?: string): Promise<SuiteInstallation>;
  /** Without the rule that versions do not change: for a developer's own file, edited between runs. */
  replace(owner: Owner, suite: Suite, envelope?: string): Promise<void>;
  find(owner: Owner, reference: string): Promise<SuiteVisible | undefined>;
  list(owner: Owner, limit: number, cursor?: string): Promise<Page<SuiteHead>>;
  read(visible: SuiteVisible): Promise<Suite>;
  head(owner: Owner, digest: Digest): Promise<SuiteHead | undefined>;
  /** Who has signed the suite of a digest, and whether that is a key that is trusted now. */
  signature(owner: Owner, digest: Digest): Promise<SignatureFacts | undefined>;
  tasks(owner: Owner, digest: Digest, from: number, limit: number): Promise<readonly Task[]>;
};

/** A signature that was checked when the suite came in. Trust may have been taken back since. */
export type SignatureFacts = SuiteSignature & { readonly trusted: boolean };

/** What became of a suite that was sent. */
export type SuiteInstallation = {
  readonly outcome: 'created' | 'same';
  /** The trusted key that signed it. */
  readonly signedBy?: string;
  readonly warnings: readonly string[];
};

/** Of an operator who has said nothing: nobody is trusted, and nothing is refused. */
const NO_TRUST: Trust = { policy: 'open', keys: new Map(), packs: [], everySuite: false };

export function createSuiteCatalogue(
  store: Store,
  clock: Clock,
  trust: () => Trust = () => NO_TRUST,
): SuiteCatalogue {
  const { suites } = store;
  const latest = createLatestSuite();

  const put = async (owner: Owner, suite: Suite, signature?: SuiteSignature): Promise<void> => {
    await suites.put(owner, suite, clock.now(), signature);
    latest.remember(owner, suite);
  };

  /** What a caller sends without an envelope is its own, unless the operator wants every suite held to the policy. */
  const verify = ({ head }: Suite, envelope: string | undefined): VerifiedSuite => {
    if (envelope === undefined && !trust().everySuite) return { warnings: [] };
    const { signedBy, warnings } = verifySuite(head, envelope, trust());
    if (signedBy === undefined || envelope === undefined) return { warnings };
    return { signature: { keyId: signedBy, envelope }, warnings };
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
    async install(owner, suite, envelope) {
      const { suiteId, version, digest } = suite.head;
      const { signature, warnings } = verify(suite, envelope);
      const told = { warnings, ...(signature && { signedBy: signature.keyId }) };
      const present = await find(owner, `${suiteId}@${version}`);
      if (present?.head.digest === digest) {
        // A tenant does not sign for the host: what it knows of a suite of the host stays with the tenant.
        if (signature) await suites.sign(owner, digest, signature, clock.now());
        return { outcome: 'same', ...told };
      }
      if (present) {
        throw new HostError(
          'conflict',
          `Suite ${suiteId}@${version} is installed with other content. Versions do not change: raise the version.`,
        );
      }
      await put(owner, suite, signature);
      return { outcome: 'created', ...told };
    },
    async replace(owner, suite, envelope) {
      // The operator's own file: what is wrong with an envelope beside it is refused, and nothing else.
      const signature = envelope === undefined ? undefined : verify(suite, envelope).signature;
      await put(owner, suite, signature);
    },
    async signature(owner, digest) {
      const kept = (await suites.signature(owner, digest)) ?? (await suites.signature(HOST_OWNER, digest));
      const head = kept && (await suiteByDigest(store, owner, digest));
      return kept && head && { ...kept, trusted: isTrusted(kept, head, trust()) };
    },
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

type VerifiedSuite = { readonly signature?: SuiteSignature; readonly warnings: readonly string[] };

/** An envelope is checked again, and the key of a pack has to be known still. */
function isTrusted({ keyId, envelope, pack = '' }: SuiteSignature, head: SuiteHead, trust: Trust): boolean {
  const key = trust.keys.get(keyId);
  if (envelope === undefined) return key !== undefined && vouchesForPack(key, pack.replace(/@.*$/, ''));
  try {
    return verifySuite(head, envelope, { ...trust, policy: 'open' }).signedBy !== undefined;
  } catch (error) {
    if (isHostError(error)) return false;
    throw error;
  }
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
    remember(owner: Owner, suite: Suite): void {
      // A long suite is held by nobody.
      if (suite.stream) latest = undefined;
      else latest = { key: keyOf(owner, suite.head.digest), tasks: new WeakRef(suite.tasks) };
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
