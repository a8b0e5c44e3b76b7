import type { InstalledPack, PackListing, Page, RemovedPack, RevokedPack } from '@touchstone/protocol';
import type { Transport } from '../transport.js';
import type { PackClaim, PackInstallation, RevokeOptions } from '../types.js';
import { at, type Get, type PageQuery, type Reading, VENDOR } from './calls.js';

/** Calls on packs. */
export function packCalls(transport: Transport, get: Get) {
  return {
    /**
     * Sends a gzipped tar archive. The same pack twice is one installation; other content under the same version is
     * refused with `conflict`.
     * @param archive The bytes of the `.tgz`, at most 50 MiB unpacked.
     */
    install: async (archive: Uint8Array, claim: PackClaim, reading?: Reading): Promise<PackInstallation> => {
      const { body, headers } = await transport.reply<InstalledPack>({
        method: 'PUT',
        path: `${VENDOR}/packs/${at(claim.name)}/-/${at(claim.version)}.tgz`,
        bytes: { data: archive, mediaType: 'application/gzip' },
        ...(claim.integrity !== undefined && { headers: { 'x-pack-sha256': claim.integrity } }),
        ...reading,
      });
      const outcome = headers.get('touchstone-outcome');
      return outcome === 'created' || outcome === 'same' ? { ...body, outcome } : body;
    },
    /** The installed packs without their files. */
    list: (page: PageQuery = {}, reading?: Reading): Promise<Page<PackListing>> =>
      get(`${VENDOR}/packs`, reading, page),
    /**
     * Removes one version of a pack with its agents and suites; runs and their results stay. Refused with `conflict` while
     * one of its agents is in service or has a run that is not over.
     */
    remove: (name: string, version: string, reading?: Reading): Promise<RemovedPack> =>
      transport.json({ method: 'DELETE', path: packPath(name, version), ...reading }),
    /**
     * Revokes one version of a pack, installed or not, for good: it can no longer be installed or run, and its evidence
     * passes no gate. Runs that have begun go on.
     */
    revoke: (
      name: string,
      version: string,
      options: RevokeOptions = {},
      reading?: Reading,
    ): Promise<RevokedPack> =>
      transport.json({
        method: 'POST',
        path: `${packPath(name, version)}/revoke`,
        body: { ...options },
        ...reading,
      }),
  };
}

const packPath = (name: string, version: string): string => `${VENDOR}/packs/${at(name)}/-/${at(version)}`;
