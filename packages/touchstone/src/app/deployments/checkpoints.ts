import { HostError, type Owner } from '@touchstone/protocol';
import { checkpointOf, openCheckpoint, type Signing, sealCheckpoint } from '../../evidence/index.js';
import type { Audit, Clock, KeptCheckpoint } from '../../ports/index.js';

type CheckpointParts = {
  readonly audit: Audit;
  readonly clock: Pick<Clock, 'now'>;
  /** The key of this host; undefined where nothing is kept that a key could be kept with. */
  readonly signing: (() => Promise<Signing>) | undefined;
  readonly version: string;
};

/** What a host says of its audit logs, signed, so that somebody else can tell later whether they were rewritten. */
export type Checkpoints = {
  /** Signs the head of an owner's log as it is now, and keeps it. */
  make(owner: Owner): Promise<KeptCheckpoint>;
  /** Signs the logs that have grown by so many records since their last checkpoint. */
  makeDue(every: number): Promise<number>;
};

export function createCheckpoints({ audit, clock, signing, version }: CheckpointParts): Checkpoints {
  const make: Checkpoints['make'] = async (owner) => {
    if (!signing)
      throw new HostError(
        'capability_not_provided',
        'This host keeps nothing on disk, so it has no key to sign with.',
      );
    const last = await audit.last(owner);
    if (!last) throw new HostError('not_found', 'The audit log is empty: there is nothing to sign yet.');
    const key = await signing();
    const at = clock.now();
    const envelope = sealCheckpoint(checkpointOf(owner, last, at, { name: 'touchstone', version }), key);
    await audit.keepCheckpoint(owner, { seq: last.seq, keyId: key.keyId, head: last.digest, at, envelope });
    // The same head signed before stays as it was.
    const [kept] = (await audit.checkpoints(owner, last.seq, 100)).filter(({ keyId }) => keyId === key.keyId);
    return kept ?? { seq: last.seq, keyId: key.keyId, head: last.digest, at, envelope };
  };
  return {
    make,
    async makeDue(every) {
      let made = 0;
      for (const owner of signing ? await audit.owners() : []) {
        const seq = (await audit.last(owner))?.seq ?? 0;
        const covered = (await audit.lastCheckpoint(owner))?.seq ?? 0;
        if (seq - covered < every) continue;
        await make(owner);
        made += 1;
      }
      return made;
    },
  };
}

/** A kept checkpoint, held against the log. */
export type CheckpointVerdict = {
  readonly seq: number;
  readonly keyId: string;
  readonly head: string;
  readonly at: number;
  /** Whether the log goes through it, and the envelope says what the row says. */
  readonly holds: boolean;
};

/** Whether a row still says what its envelope says: the envelope cannot be made anew without the key. */
export function saysTheSame(owner: Owner, { seq, head, envelope }: KeptCheckpoint): boolean {
  try {
    const { predicate } = openCheckpoint(envelope, []);
    const { tenant, workspace } = predicate.owner;
    const isOwn = tenant === owner.tenant && workspace === owner.workspace;
    return isOwn && predicate.records === seq && predicate.head === head;
  } catch {
    return false;
  }
}
