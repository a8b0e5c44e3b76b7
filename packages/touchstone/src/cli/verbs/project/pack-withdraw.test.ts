import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AGENT, manifest, openPackCli, PACK, type PackCli } from '../../testing/pack-cli.js';

const NAME = `${PACK}@1.0.0`;

let desk: PackCli;
beforeEach(async () => {
  desk = openPackCli();
  await desk.run('pack', 'install', 'support');
});
afterEach(() => desk.close());

/** What the audit log says of packs that were taken back. */
async function reasons(): Promise<readonly string[]> {
  const { out } = await desk.run('audit', 'list', '--json');
  const { items } = JSON.parse(out) as { readonly items: readonly { action: string; reason?: string }[] };
  return items.flatMap(({ action, reason }) => (action === 'packs:yank' ? [String(reason)] : []));
}

describe('pack remove', () => {
  test('removes the pack, says what became of it, and leaves an audit record', async () => {
    const { code, out } = await desk.run('pack', 'remove', NAME);
    expect(code).toBe(0);
    expect(out.replace(/sha256:\w+/, 'sha256:…')).toMatchInlineSnapshot(`
      "  Removed vendor.acme.support@1.0.0
        digest  sha256:…
        agent   vendor.acme.support.default, no longer here
        runs    stay, with their results
      "
    `);
    const again = await desk.run('pack', 'remove', NAME, '--json');
    expect(JSON.parse(again.out)).toMatchObject({ exitCode: 2, error: { code: 'not_found' } });
    expect(await reasons()).toEqual(['removed']);
  });

  test('names the version that serves, and what to type', async () => {
    for (const to of ['test', 'staged', 'active'])
      expect(await desk.run('promote', `${AGENT}@1.0.0`, '--to', to)).toMatchObject({ code: 0 });
    const { code, err } = await desk.run('pack', 'remove', NAME);
    expect(code).toBe(2);
    expect(err).toContain(`${AGENT}@1.0.0 of this pack is active`);
    expect(err).toContain(`touchstone deployments ${AGENT}`);
  });

  test.each([[PACK], [`${PACK}@`], ['@1.0.0'], [`${NAME}@2`]])('wants one version, not %s', async (given) => {
    const { code, err } = await desk.run('pack', 'remove', given);
    expect(code).toBe(2);
    expect(err).toContain('Expected a pack with its version');
  });
});

describe('pack revoke', () => {
  test('revokes the version: it is neither installed nor run again, from its files neither', async () => {
    const { code, out } = await desk.run('pack', 'revoke', NAME, '--reason', 'leaks order numbers');
    expect({ code, out }).toMatchInlineSnapshot(`
      {
        "code": 0,
        "out": "  Revoked vendor.acme.support@1.0.0
        installed  yes; it stays, and starts no new run
      ",
      }
    `);
    expect(await reasons()).toEqual(['revoked: leaks order numbers']);
    for (const command of [
      ['pack', 'install', 'support'],
      ['run', 'support'],
      ['run', NAME],
    ]) {
      const refused = await desk.run(...command, '--json');
      expect(JSON.parse(refused.out)).toMatchObject({ exitCode: 2, error: { code: 'pack_revoked' } });
    }
  });

  test('leaves the bare name to the highest version that may be run', async () => {
    desk.write('support/pack.json', manifest({ version: '2.0.0' }));
    await desk.run('pack', 'install', 'support');
    await desk.run('pack', 'revoke', `${PACK}@2.0.0`);
    const { out } = await desk.run('run', PACK, '--json');
    expect(JSON.parse(out)).toMatchObject([{ agent: { version: '1.0.0' }, exitCode: 0 }]);
  });

  test('warns of what serves, with the command that shows it', async () => {
    for (const to of ['test', 'staged', 'active']) await desk.run('promote', `${AGENT}@1.0.0`, '--to', to);
    const { code, out } = await desk.run('pack', 'revoke', NAME);
    expect(code).toBe(0);
    expect(out).toContain(`${AGENT}@1.0.0 is active`);
    expect(out).toContain(`touchstone deployments ${AGENT}`);
    const refused = await desk.run('promote', `${AGENT}@1.0.0`, '--channel', 'canary');
    expect(refused.code).toBe(1);
    expect(refused.out).toContain(`touchstone deployments ${AGENT}`);
    expect(refused.out).not.toContain('touchstone run');
  });

  test('takes a version that nobody has installed', async () => {
    const document = JSON.parse((await desk.run('pack', 'revoke', `${PACK}@7.0.0`, '--json')).out);
    expect(document).toMatchObject({ name: PACK, version: '7.0.0', installed: false, serving: [] });
  });
});
