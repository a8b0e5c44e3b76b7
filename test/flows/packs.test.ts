import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PACK_NAME } from '../../packages/touchstone/src/packs/testing/pack-bytes.js';
import { AGENT, archiveFor, packUrl, readJson, SUITE } from './pack-host.js';
import { put, refusal, refused } from './pack-publishing.js';
import { KEY } from './processes.js';
import { openWholeHost, RUNNER_KEY, type WholeHost } from './whole-host.js';

describe('the name of a pack’s agent', () => {
  const bind = (host: WholeHost) =>
    readJson(host, `/v1/host/touchstone/agents/${AGENT}`, {
      method: 'PUT',
      body: { agentId: AGENT, version: '9.0.0', run: { kind: 'http', url: 'https://agents.example/' } },
    });

  it('cannot be bound by anything else, before or after', async () => {
    for (const first of ['pack', 'binding'] as const) {
      const host = await openWholeHost({ trust: { policy: 'open' } });
      try {
        const archive = await archiveFor();
        const answers =
          first === 'pack'
            ? [await put(host, archive), await bind(host)]
            : [await bind(host), await put(host, archive)];
        expect(answers.map(({ status }) => status)).toEqual([201, 409]);
      } finally {
        await host.close();
      }
    }
  });
});

describe('a pack that is sent', () => {
  let host: WholeHost;
  beforeAll(async () => {
    host = await openWholeHost({ trust: { policy: 'open' } });
  });
  afterAll(() => host.close());

  it('is installed once with all that is in it, and a version does not change', async () => {
    const archive = await archiveFor();
    const created = await put(host, archive);
    expect(created).toMatchObject({
      status: 201,
      body: {
        name: PACK_NAME,
        version: '1.2.0',
        filesSigned: false,
        agents: [{ agentId: AGENT, version: '1.2.0' }],
        suites: [{ suiteRef: `${SUITE}@1.0.0` }],
      },
    });
    expect((created.body.warnings as string[]).length).toBeGreaterThan(0);
    expect(await put(host, archive)).toEqual({ status: 200, body: created.body });
    const other = await archiveFor({ manifest: { description: 'Another one.' } });
    expect(await refused(host, other)).toEqual(refusal('conflict', 409));
    const { body } = await readJson(host, '/v1/host/touchstone/packs');
    expect(body).toEqual({
      items: [expect.objectContaining({ name: PACK_NAME, integrity: created.body.integrity })],
    });
  });

  it('brings nothing when one thing in it is there with other content', async () => {
    const url = packUrl(PACK_NAME, '1.3.0');
    const manifestOf = { version: '1.3.0' };
    const changed = await archiveFor({ manifest: manifestOf, tasks: [{ input: 'changed' }] });
    expect(await refused(host, changed, url)).toEqual(refusal('conflict', 409));
    expect(await put(host, await archiveFor({ manifest: manifestOf }), url)).toMatchObject({ status: 201 });
    const agent = await readJson(host, `/v1/agents/${AGENT}`);
    expect(agent.body).toMatchObject({ packVersion: '1.3.0' });
    expect((await readJson(host, `/v1/agents/${AGENT}@1.2.0`)).body).toMatchObject({ packVersion: '1.2.0' });
  });

  it('is installed by exactly one of those who send it at once, and no other one beside it', async () => {
    const url = packUrl(PACK_NAME, '5.0.0');
    const [one, other] = await Promise.all(
      ['one', 'other'].map((description) => archiveFor({ manifest: { version: '5.0.0', description } })),
    );
    const sent = [one, one, other, other, one].map((archive) => put(host, archive, url));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    const firstWins = [200, 201].includes(statuses[0] as number);
    const same = firstWins ? [0, 1, 4] : [2, 3];
    expect(statuses.map((status) => status < 300)).toEqual(statuses.map((_, i) => same.includes(i)));
  });

  it('is held against what its sender says about it', async () => {
    const archive = await archiveFor({ manifest: { version: '2.0.0' } });
    const url = packUrl(PACK_NAME, '2.0.0');
    const headers = (integrity: string) => ({ headers: { 'x-pack-sha256': integrity } });
    const wrong = `sha256-${Buffer.alloc(32).toString('base64')}`;
    expect(await refused(host, archive, url, headers(wrong))).toEqual(refusal('pack_integrity_failure'));
    const misnamed = packUrl('vendor.acme.other', '2.0.0');
    expect(await refused(host, archive, misnamed)).toEqual(refusal('manifest_name_mismatch'));
    expect(await refused(host, archive)).toEqual(refusal('manifest_version_mismatch'));
    for (const [name, code] of [
      ['local.acme.support', 'invalid_pack_scope'],
      ['support', 'invalid_pack_scope'],
      ['vendor.acme', 'invalid_pack_name'],
      ['vendor.Acme.support', 'invalid_pack_name'],
      ['vendor.acme.%2e%2e', 'invalid_pack_name'],
    ] as const)
      expect({ name, ...(await refused(host, archive, packUrl(name, '2.0.0'))) }).toEqual({
        name,
        ...refusal(code),
      });
    for (const version of ['v2.0.0', '2.0', 'latest', '2.0.0%20', '02.0.0'])
      expect({ version, ...(await refused(host, archive, packUrl(PACK_NAME, version))) }).toEqual({
        version,
        ...refusal('invalid_version'),
      });
    const right = `sha256-${createHash('sha256').update(archive).digest('base64')}`;
    expect(await put(host, archive, url, headers(right))).toMatchObject({
      status: 201,
      body: { integrity: right },
    });
  });

  it('must be bytes from someone who may publish', async () => {
    const archive = await archiveFor({ manifest: { version: '3.0.0' } });
    const url = packUrl(PACK_NAME, '3.0.0');
    expect(await refused(host, { a: 1 }, url)).toEqual(refusal('invalid_body'));
    expect(await refused(host, Buffer.alloc(0), url)).toEqual(refusal('invalid_body'));
    expect(await refused(host, undefined, url)).toEqual(refusal('invalid_body'));
    const text = { headers: { 'content-type': 'text/plain' } };
    expect(await refused(host, archive, url, text)).toEqual(refusal('invalid_body'));
    expect(await refused(host, archive, url, { key: RUNNER_KEY })).toEqual(refusal('forbidden', 403));
    expect(await refused(host, archive, url, { key: null })).toEqual(refusal('unauthenticated', 401));
    const nowhere = packUrl('acme.support', '3.0.0');
    for (const body of [{ a: 1 }, Buffer.alloc(0), undefined])
      expect(await refused(host, body, nowhere)).toEqual(refusal('invalid_pack_scope'));
    const octets = { headers: { 'content-type': 'application/octet-stream' } };
    expect(await put(host, archive, url, octets)).toMatchObject({ status: 201 });
    const untyped = { headers: { authorization: `Bearer ${KEY}` }, body: new Uint8Array(archive) };
    expect((await fetch(host.url + url, { method: 'PUT', ...untyped })).status).toBe(200);
  });

  it('is installed once under an Idempotency-Key, whose answer is repeated', async () => {
    const archive = await archiveFor({ manifest: { version: '4.0.0' } });
    const url = packUrl(PACK_NAME, '4.0.0');
    const headers = { 'idempotency-key': 'publish-4' };
    const send = (body: Buffer) => host.fetch(url, { method: 'PUT', body, headers });
    const [first, second] = [await send(archive), await send(archive)];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.headers.get('openwop-idempotent-replay')).toBe('true');
    expect(await second.json()).toEqual(await first.json());
    const other = await send(await archiveFor({ manifest: { version: '4.0.0', description: 'x' } }));
    expect(other.status).toBe(409);
    expect(await other.json()).toMatchObject({ error: 'idempotency_key_mismatch' });
  });

  it('is listed in pages that lose none', async () => {
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await readJson(host, `/v1/host/touchstone/packs?limit=2${cursor}`);
      seen.push(...(body.items as { version: string }[]).map(({ version }) => version));
      if (body.nextCursor === undefined) break;
      cursor = `&cursor=${encodeURIComponent(body.nextCursor as string)}`;
    }
    expect(seen.sort()).toEqual(['1.2.0', '1.3.0', '2.0.0', '3.0.0', '4.0.0', '5.0.0']);
  });
});
