import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AGENT, type DeployCli, openDeployCli, PROVEN, steady } from '../../testing/deployment-cli.js';

let desk: DeployCli;
beforeEach(() => {
  desk = openDeployCli();
});
afterEach(() => desk.close());

const OLD = `${AGENT}@1.0.0`;
const verify = (...more: string[]) => desk.run('audit', 'verify', ...more);
const headIn = (out: string): string => /--expect (\S+)/.exec(out)?.[1] ?? '';

/** What only somebody can do who owns the file of the store. */
function forge(sql: string): void {
  const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite');
  const db = new DatabaseSync(join(desk.cwd, '.touchstone/touchstone.db'));
  const triggers: { name: string }[] = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit'")
    .all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  db.exec(sql);
  db.close();
}

describe('audit verify', () => {
  test('tells the head, and how to hold the log against it later', async () => {
    await desk.run('promote', OLD);
    const first = await verify();
    expect(first.code).toBe(0);
    expect(first.out).toContain('✓ local/main: 6 records, unbroken');
    await desk.run('promote', OLD, '--pause');
    const later = await verify('--expect', headIn(first.out));
    expect([later.code, later.out]).toEqual([
      0,
      expect.stringContaining('the head kept at 6 records is in it'),
    ]);
  });

  test('finds a record that was changed', async () => {
    await desk.run('promote', OLD);
    forge("UPDATE audit SET principal = 'nobody' WHERE seq = 3");
    const { code, out } = await verify();
    expect([code, out]).toEqual([
      1,
      expect.stringContaining('broken at record 3: it is not what was written'),
    ]);
    const { document } = await desk.json('audit', 'verify');
    expect(document).toMatchObject({
      valid: false,
      chains: [{ records: 2, trouble: { seq: 3, why: 'digest' } }],
    });
  });

  test('finds a lost end only against a head that was kept elsewhere', async () => {
    await desk.run('promote', OLD);
    const head = headIn((await verify()).out);
    forge('DELETE FROM audit WHERE seq > 4');
    expect((await verify()).code).toBe(0);
    const { code, out } = await verify('--expect', head);
    expect([code, out]).toEqual([1, expect.stringContaining('The head kept at 6 records is not in it')]);
    expect(out).not.toContain('--expect');
  });

  test('takes a head with or without the name of its hash, and nothing else', async () => {
    await desk.run('promote', OLD, '--to', 'test');
    const head = headIn((await verify()).out);
    expect((await verify('--expect', head.replace('sha256:', ''))).code).toBe(0);
    expect((await verify('--expect', head.replace(/\d+/, '1'))).code).toBe(1);
    const wrong = await verify('--expect', '6');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('12:sha256:<64 hex digits>')]);
  });

  test('has nothing to say where nothing is kept, unless something should be', async () => {
    expect(await verify()).toMatchObject({ code: 0, out: 'The audit log is empty.\n' });
    expect((await verify('--expect', `1:${'a'.repeat(64)}`)).code).toBe(1);
  });
});

describe('audit list', () => {
  test('shows who was let do what, and who was not', async () => {
    desk.configure({ gates: [{ ...PROVEN, to: 'staged' }] });
    await desk.run('promote', OLD);
    expect(steady((await desk.run('audit', 'list')).out)).toMatchInlineSnapshot(`
      "     when                    who  action          resource
        4  <time>  ✗  cli  deploy:promote  agents/local.acme.support@1.0.0
        3  <time>  ·  cli  deploy:promote  agents/local.acme.support@1.0.0
        2  <time>  ✓  cli  deploy:promote  agents/local.acme.support@1.0.0
        1  <time>  ✓  cli  deploy:promote  agents/local.acme.support@1.0.0
      "
    `);
    const { document } = await desk.json('audit', 'list', '--limit', '1');
    expect(document.items).toMatchObject([
      { seq: 4, principal: 'cli', allowed: false, reason: 'eval_gate_unmet: no_eval_run' },
    ]);
    expect((await desk.run('audit', 'list', '--data', 'elsewhere', '--limit', '0')).code).toBe(2);
  });
});
