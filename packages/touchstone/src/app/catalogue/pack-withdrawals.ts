import {
  asId,
  defined,
  HOST_OWNER,
  HostError,
  type Owner,
  type Principal,
  type PrincipalId,
  type ResourceName,
  type ScopeName,
  type Version,
} from '@touchstone/protocol';
import { checkPackName, checkPackVersion } from '../../packs/index.js';
import type { Clock, PackHead, Store } from '../../ports/index.js';
import { deploymentsOf, hindranceOf, type ServedAgent, servedOf } from './pack-service.js';

/** Takes packs back. Nothing of what was measured is lost by it. */
export type PackWithdrawals = {
  /** The version is gone as if it had never been installed, except that no other content may take its name. */
  remove(principal: Principal, name: string, version: string): Promise<PackHead>;
  /**
   * The version may no longer be installed or run, and its evidence proves nothing. Also of one that is not installed. The
   * agents that serve are told and stay where they are: which version takes over is not decided here.
   */
  revoke(
    principal: Principal,
    name: string,
    version: string,
    reason?: string,
  ): Promise<{ readonly installed: boolean; readonly serving: readonly ServedAgent[] }>;
};

type WithdrawalParts = {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** Takes secrets out of what people write. */
  readonly mask: (text: string) => Promise<string>;
};

export function createPackWithdrawals(parts: WithdrawalParts): PackWithdrawals {
  const { store, clock, mask } = parts;
  return {
    async remove(principal, name, version) {
      const { owner } = principal;
      const head = await installedPack(store, owner, name, version);
      const noted = auditOf(principal, head, clock.now());
      const deployments = await deploymentsOf(store, owner, head);
      const hindrance = await hindranceOf(store, owner, head, deployments);
      if (hindrance) {
        await store.audit.append(owner, { ...noted, allowed: false, reason: hindrance.message });
        throw hindrance;
      }
      const seen = deployments.map(({ agentId, revision }) => ({ agentId, revision }));
      const audit = { ...noted, allowed: true, reason: 'removed' };
      if ((await store.packs.remove(owner, { head, seen, at: noted.at, audit })) === 'moved')
        throw new HostError('conflict', `${nameOf(head)} or what serves has changed meanwhile. Try again.`);
      return head;
    },
    async revoke(principal, name, version, reason) {
      checkPackName(name);
      checkPackVersion(version);
      const { owner } = principal;
      const pack = { name, version: asId<Version>(version) };
      const own = await store.packs.get(owner, name, pack.version);
      const head = own ?? (await store.packs.get(HOST_OWNER, name, pack.version));
      const why = reason === undefined ? 'revoked' : `revoked: ${await mask(reason)}`;
      const audit = { ...auditOf(principal, pack, clock.now()), allowed: true, reason: why };
      await store.packs.revoke(owner, defined({ ...pack, digest: own?.digest }), audit.at, audit);
      const deployments = head ? await deploymentsOf(store, owner, head) : [];
      return { installed: head !== undefined, serving: head ? servedOf(head, deployments) : [] };
    },
  };
}

const nameOf = ({ name, version }: Pick<PackHead, 'name' | 'version'>): string => `${name}@${version}`;

const auditOf = (principal: Principal, pack: Pick<PackHead, 'name' | 'version'>, at: number) => ({
  at,
  principal: asId<PrincipalId>(principal.id),
  action: asId<ScopeName>('packs:yank'),
  resource: asId<ResourceName>(`packs/${nameOf(pack)}`),
});

async function installedPack(
  { packs }: Pick<Store, 'packs'>,
  owner: Owner,
  name: string,
  version: string,
): Promise<PackHead> {
  checkPackName(name);
  checkPackVersion(version);
  const head = await packs.get(owner, name, asId(version));
  if (head) return head;
  if (await packs.get(HOST_OWNER, name, asId(version)))
    throw new HostError(
      'conflict',
      `Pack ${name}@${version} belongs to the host. Take it out of "packs" in the configuration.`,
    );
  throw new HostError('not_found', 'No pack of this name and version is installed.');
}
