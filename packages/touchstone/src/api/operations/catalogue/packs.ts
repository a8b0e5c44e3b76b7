import { defined, type ErrorCode } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import type { PackEntry } from '../../../app/index.js';
import type { PackHead } from '../../../ports/index.js';
import { type BodyRule, bodyOf, type Call, type Endpoint, endpoint, ok, type Reply } from '../../endpoint.js';
import { pageQuery } from '../../query.js';
import type { Services } from '../../services.js';

const archiveBody: BodyRule<Buffer> = {
  schema: { type: 'string', description: 'A gzipped tar archive with pack.json at its root.' },
  mediaType: 'application/gzip',
  required: true,
  // What is no archive is an empty one, which is refused after a wrong name or version: the URL is looked at first.
  read: (value, { headers }) =>
    Buffer.isBuffer(value) && isOfBytes(headers['content-type']) ? value : Buffer.alloc(0),
};

const BYTE_TYPES: readonly string[] = ['application/gzip', 'application/x-gzip', 'application/octet-stream'];

/** Whether a body may hold an archive by its Content-Type; one that has none may. */
const isOfBytes = (type = 'application/gzip'): boolean =>
  BYTE_TYPES.includes(type.split(';', 1)[0]?.trim().toLowerCase() ?? '');

const NAME_REFUSALS: readonly ErrorCode[] = ['invalid_pack_scope', 'invalid_pack_name', 'invalid_version'];

/** What can be wrong with an archive, in the order it is looked at. */
const PACK_REFUSALS: readonly ErrorCode[] = [
  ...NAME_REFUSALS,
  'invalid_body',
  'tarball_gunzip_failed',
  'tarball_too_large',
  'tarball_tar_parse_failed',
  'tarball_path_traversal',
  'tarball_entry_too_large',
  'tarball_manifest_missing',
  'tarball_manifest_too_large',
  'tarball_manifest_not_json',
  'pack_kind_invalid',
  'pack_engine_unsupported',
  'invalid_manifest',
  'tarball_entry_missing',
  'unsupported_runtime',
  'pack_peer_dependency_missing',
  'manifest_name_mismatch',
  'manifest_version_mismatch',
  'pack_integrity_failure',
  'pack_signature_invalid',
];

export const packEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'installPack',
    route: 'PUT /v1/host/touchstone/packs/{name}/-/{version}.tgz',
    auth: 'packs:publish',
    summary: 'Install a pack with its agents and suites',
    body: archiveBody,
    responses: {
      200: { description: 'This very pack is installed already.', schema: vendor.installedPack },
      201: { description: 'The pack is installed.', schema: vendor.installedPack },
    },
    // The last one is about a dataset that the profile of an agent names elsewhere.
    refusals: ['conflict', 'quota_exceeded', 'pack_revoked', ...PACK_REFUSALS, 'unavailable'],
    handle: (call) => install(host, call),
  }),
  endpoint({
    operationId: 'listPacks',
    route: 'GET /v1/host/touchstone/packs',
    auth: 'runs:read',
    summary: 'The packs the caller can use',
    parameters: pageQuery('packs'),
    responses: ok('Packs without what is in them.', vendor.page(vendor.packHead)),
    async handle(call) {
      const { limit, cursor } = call.query;
      const { items, ...rest } = await host.touchstone.packs.list(call.principal.owner, limit, cursor);
      return { status: 200, body: { items: items.map(packListing), ...rest } };
    },
  }),
  endpoint({
    operationId: 'removePack',
    route: 'DELETE /v1/host/touchstone/packs/{name}/-/{version}',
    auth: 'packs:yank',
    summary: "Remove one of the caller's packs with its agents and suites",
    responses: ok('The pack is gone. Runs and their results stay.', vendor.removedPack),
    refusals: ['not_found', 'conflict', ...NAME_REFUSALS],
    async handle({ principal, params }) {
      const { name, version, digest, agents } = await host.touchstone.packs.remove(
        principal,
        params.name ?? '',
        params.version ?? '',
      );
      return { status: 200, body: { name, version, digest, agents: agents.map(({ agentId }) => agentId) } };
    },
  }),
  endpoint({
    operationId: 'revokePack',
    route: 'POST /v1/host/touchstone/packs/{name}/-/{version}/revoke',
    auth: 'packs:yank',
    summary:
      'Revoke a version of a pack: it can no longer be installed or run, and its evidence does not count',
    body: bodyOf(vendor.revokeBody, false),
    responses: ok('The version is revoked, now or before.', vendor.revokedPack),
    refusals: NAME_REFUSALS,
    async handle({ principal, params, body }) {
      const { name = '', version = '' } = params;
      const revoked = await host.touchstone.packs.revoke(principal, name, version, body.reason);
      return { status: 200, body: { name, version, ...revoked } };
    },
  }),
];

async function install({ touchstone }: Services, call: Call<unknown, Buffer>): Promise<Reply> {
  const integrity = call.headers['x-pack-sha256'];
  const { outcome, head, agents, suites, warnings } = await touchstone.packs.install(
    call.principal.owner,
    call.body,
    {
      name: call.params.name ?? '',
      version: call.params.version ?? '',
      ...(typeof integrity === 'string' && { integrity }),
    },
  );
  const body = {
    ...packEntry(head),
    agents: agents.map(({ agentId, version, digest }) => ({
      ...defined({ suiteRef: head.agents.find((entry) => entry.agentId === agentId)?.suiteRef }),
      agentId,
      version,
      digest,
    })),
    suites: suites.map(({ head: { suiteId, version, digest } }) => ({
      suiteRef: `${suiteId}@${version}`,
      suiteId,
      version,
      digest,
    })),
    warnings,
  };
  // A client sees no status, and the same pack twice has the same body.
  return { status: outcome === 'created' ? 201 : 200, body, headers: { 'touchstone-outcome': outcome } };
}

const packEntry = ({ name, version, integrity, digest, signedBy, filesSigned, agents }: PackHead) =>
  defined({
    name,
    version,
    integrity,
    digest,
    signedBy,
    filesSigned,
    agents: agents.map(({ agentId, suiteRef }) => defined({ agentId, suiteRef })),
  });

const packListing = ({ revoked, ...head }: PackEntry) => defined({ ...packEntry(head), revoked });
