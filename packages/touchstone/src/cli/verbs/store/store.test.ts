import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../app/index.js';
import { openStore } from '../../../store/index.js';
import { openSqlite } from '../../../store/sqlite/open-sqlite.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

const SUITE = 'evals/first.suite.yaml';

let cli: TestCli;
beforeEach(async () => {
  cli = openTestCli();
  await cli.run('init', '.');
});
afterEach(() => cli.close());

const json = async (...argv: string[]) => {
  const { code, out } = await cli.run(...argv, '--json');
  return { code, document: JSON.parse(out) as { readonly [member: string]: unknown } };
};
async function evaluated(): Promise<string> {
  const { document } = await json('run', SUITE);
  return (document.run as { readonly runId: string } | undefined)?.runId ?? (document.runId as string);
}
const listed = async (): Promise<readonly string[]> =>
  ((await json('runs')).document.items as readonly { readonly runId: string }[]).map(({ runId }) => runId);
const audited = async () =>
  ((await json('audit', 'list')).document.items as readonly { readonly [member: string]: unknown }[]).map(
    ({ principal, action, resource, owner }) => ({ principal, action, resource, owner }),
  );
const LOCAL = { tenant: 'local', workspace: 'main' };

describe('prune', () => {
  it('removes what is not among the newest, keeps baselines and says so, and audits each removal', async () => {
    const runs = [await evaluated(), await evaluated(), await evaluated()];
    const [blessed = '', second = '', newest = ''] = runs;
    await cli.run('baseline', 'bless', blessed);
    const kept = [{ runId: blessed, reason: 'blessed' }];
    const looked = await json('prune', '--keep', '1', '--dry-run');
    expect(looked.document).toMatchObject({ dryRun: true, removed: [second], kept });
    expect((await cli.run('prune', '--keep', '1', '--dry-run')).out).toBe(
      `local/main: 1 run would be removed:\n  ${second}\nKept:\n  ${blessed}  a baseline\n`,
    );
    expect(await listed()).toHaveLength(3);
    const { code, document } = await json('prune', '--keep', '1');
    expect(code).toBe(0);
    expect(document).toMatchObject({ removed: [second], kept, owners: [{ ...LOCAL, removed: [second] }] });
    expect(await listed()).toEqual([newest, blessed]);
    expect((await cli.run('show', second)).code).toBe(2);
    expect(await audited()).toEqual([
      { principal: 'cli', action: 'runs:delete', resource: `runs/${second}`, owner: LOCAL },
    ]);
    expect((await json('audit', 'verify')).document).toMatchObject({ valid: true });
    expect((await cli.run('prune', '--keep', '1')).out).toContain(`${blessed}  a baseline`);
  });

  it('removes content alone, and the run then says so and cannot be replayed', async () => {
    const runId = await evaluated();
    const before = (await json('show', runId)).document;
    expect((await cli.run('prune', '--keep', '0', '--bodies-only')).out).toContain(
      'the content of 1 run removed',
    );
    const { summary } = (await json('show', runId)).document;
    expect(summary).toEqual(before.summary);
    expect((await cli.run('show', runId)).out).toContain('were removed on');
    expect((await cli.run('show', runId, '--task', 'small-talk', '--bodies')).out).toContain(
      'were removed on',
    );
    for (const verb of ['replay', 'rejudge']) {
      const refused = await cli.run(verb, runId);
      expect(refused.code).toBe(2);
      expect(refused.err).toMatch(/content of run .* was removed/);
    }
    const again = await evaluated();
    expect((await cli.run('compare', runId, again)).code).toBe(0);
  });

  it('prunes the tenant that is named alone, and another host has its own', async () => {
    await evaluated();
    expect((await json('prune', '--keep', '0', '--tenant', 'acme')).document).toMatchObject({ removed: [] });
    const refused = await cli.run('prune', '--keep', '0', '--tenant', 'a', '--host', 'http://127.0.0.1:1');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--tenant') });
  });

  it.each([[[]], [['--older-than', 'ninety']], [['--keep', '-1']]])('%j is a usage error', async (argv) => {
    expect((await cli.run('prune', ...argv)).code).toBe(2);
  });

  it('leaves nothing behind where nothing is kept', async () => {
    expect(await cli.run('prune', '--older-than', '1d')).toMatchObject({
      code: 0,
      out: 'There are no runs here.\n',
    });
    expect(cli.has('.touchstone')).toBe(false);
  });

  it('gives the space back', async () => {
    const value = 'x'.repeat(100_000);
    const tasks = Array.from({ length: 30 }, (_, at) => ({
      taskId: `t-${at}`,
      input: value,
      expected: { kind: 'golden', match: { strategy: 'exact', value: 'y' } },
    }));
    cli.write('echo.mjs', 'export default (input) => input + input;\n');
    cli.write('big.suite.json', {
      suiteId: 'local.demo.evals.big',
      version: '1.0.0',
      modes: ['golden'],
      tasks,
    });
    await cli.run('run', 'big.suite.json', '--agent', './echo.mjs');
    const size = () => statSync(join(cli.cwd, '.touchstone', 'touchstone.db')).size;
    const before = size();
    const { out } = await cli.run('prune', '--keep', '0');
    expect(out).toMatch(/The store takes \d+\.\d MB; before, \d+\.\d MB\./);
    expect(before - size()).toBeGreaterThan(5_000_000);
  });
});

describe('keys', () => {
  it('are made and revoked on the record, in the chain of the owner they are for', async () => {
    const made = await json('keys', 'create', '--tenant', 'acme', '--principal', 'ci', '--role', 'runner');
    const keyId = String(made.document.keyHash).slice('sha256:'.length, 'sha256:'.length + 8);
    await cli.run('keys', 'revoke', String(made.document.keyHash));
    await cli.run('keys', 'revoke', String(made.document.keyHash));
    const owner = { tenant: 'acme', workspace: 'main' };
    expect(await audited()).toEqual([
      { principal: 'cli', action: 'keys:revoke', resource: `keys/${keyId}`, owner },
      { principal: 'cli', action: 'keys:create', resource: `keys/${keyId}`, owner },
    ]);
    const { document } = await json('audit', 'list');
    expect(JSON.stringify(document)).toContain('for ci as runner');
    expect(JSON.stringify(document)).not.toContain(String(made.document.key));
  });

  it('of the store let a host listen on any address; without one it says what to do', async () => {
    // An address of documentation: no machine has it, so nothing is ever opened to a network here.
    const bind = ['serve', '--port', '0', '--bind', '203.0.113.7'];
    expect(await cli.run(...bind)).toMatchObject({
      code: 2,
      err: expect.stringContaining('touchstone keys create'),
    });
    await cli.run('keys', 'create', '--tenant', 'acme', '--role', 'runner');
    expect(await cli.run(...bind)).toMatchObject({
      code: 2,
      err: expect.stringContaining('This machine has no address 203.0.113.7'),
    });
  });

  it('made by a first start are on the record as well', async () => {
    const serving = cli.run('serve', '--port', '0');
    await cli.seen('This is the only time the key is shown');
    cli.signal('SIGTERM');
    expect((await serving).code).toBe(0);
    expect(await audited()).toMatchObject([{ principal: '~host', action: 'keys:create', owner: LOCAL }]);
  });
});

it('a pack that is installed in this process is on the record, and one that is refused does not look installed', async () => {
  cli.write('pack/pack.json', {
    name: 'vendor.acme.support',
    version: '1.0.0',
    engines: { openwop: '>=1.0.0 <2.0.0' },
    runtime: { language: 'remote', entry: 'pack.json' },
    agents: [
      {
        agentId: 'vendor.acme.support.default',
        persona: 'S',
        modelClass: 'general',
        systemPromptRef: 's.md',
      },
    ],
  });
  cli.write('pack/s.md', 'Answer kindly.\n');
  expect((await cli.run('pack', 'install', 'pack')).code).toBe(0);
  expect(await audited()).toMatchObject([
    { principal: 'cli', action: 'packs:publish', resource: expect.stringContaining('vendor.acme.support') },
  ]);
  // The same version with other content is refused, and must not look installed.
  cli.write('pack/s.md', 'Answer rudely.\n');
  expect((await cli.run('pack', 'install', 'pack')).code).toBe(2);
  const { items } = (await json('audit', 'list')).document as { items: readonly object[] };
  expect(items).toMatchObject([{ allowed: false, reason: 'conflict' }, { allowed: true }, { allowed: true }]);
  const { out } = await cli.run('audit', 'list');
  expect(out.match(/[✗✓·](?= +cli +packs:publish)/g)).toEqual(['✗', '·', '✓']);
});

it('usage lists each tenant with its runs, cost and size', async () => {
  expect((await cli.run('usage')).out).toBe('No tenant has a run here.\n');
  await evaluated();
  const { document } = await json('usage');
  expect(document.items).toMatchObject([{ ...LOCAL, runs: 1, unfinished: 0, costUsd: 0 }]);
  expect((await cli.run('usage')).out).toMatch(/local\/main +1 +0 +\$0 +\d+\.\d kB/);
});

it('doctor counts the runs of every tenant', async () => {
  await evaluated();
  const store = await openStore({ file: join(cli.cwd, '.touchstone/touchstone.db'), clock: systemClock });
  const [run] = (await store.runs.list(LOCAL, { limit: 1 })).items;
  const theirs = { ...run, runId: 'run-of-another-tenant', owner: { tenant: 'globex', workspace: 'main' } };
  await store.runs.create(theirs as never);
  await store.close();
  expect((await cli.run('doctor')).out).toMatch(/touchstone\.db is whole and holds 2 runs of 2 tenants/);
});

it('a total that the log does not come to is never shown: the store is damaged', async () => {
  const runId = await evaluated();
  expect((await cli.run('show', runId)).code).toBe(0);
  const sqlite = await openSqlite(join(cli.cwd, '.touchstone/touchstone.db'));
  sqlite.exec(`UPDATE runs SET headline = replace(headline, '"passedCount":', '"passedCount":1')`);
  sqlite.close();
  const { code, out, err } = await cli.run('show', runId);
  expect([code, out]).toEqual([3, '']);
  expect(err).toContain(
    'error unavailable: The store cannot be used: its content is damaged. Restore a backup',
  );
});

it('doctor finds a damaged page', async () => {
  await evaluated();
  const file = join(cli.cwd, '.touchstone/touchstone.db');
  const sqlite = await openSqlite(file);
  const [{ rootpage }] = sqlite
    .prepare("SELECT rootpage FROM sqlite_master WHERE name = 'webhooks'")
    .all() as [{ rootpage: number }];
  sqlite.close();
  const bytes = readFileSync(file);
  cli.write('.touchstone/touchstone.db', bytes.fill(7, (rootpage - 1) * 8_192, rootpage * 8_192));
  const { code, out } = await cli.run('doctor');
  expect(code).toBe(1);
  expect(out).toMatch(/✗ store +\S+touchstone.db cannot be used: /);
  expect(out).toContain('restore it from a copy');
});

describe('store', () => {
  const HERE = 'sqlite:.touchstone/touchstone.db';

  it('copy makes a store of its own, with every row, and goes on where it was interrupted', async () => {
    const runId = await evaluated();
    const copied = await json('store', 'copy', HERE, 'sqlite:there/touchstone.db');
    expect(copied).toMatchObject({ code: 0, document: { equal: true } });
    expect(await json('store', 'copy', HERE, 'sqlite:there/touchstone.db')).toEqual(copied);
    expect(await json('show', runId, '--data', 'there')).toEqual(await json('show', runId));
    expect(await json('audit', 'verify', '--data', 'there')).toEqual(await json('audit', 'verify'));
  });

  it('copy leaves a store with other runs alone, and refuses what is no store', async () => {
    await evaluated();
    await cli.run('run', SUITE, '--data', 'other');
    const foreign = await cli.run('store', 'copy', HERE, 'sqlite:other/touchstone.db');
    expect(foreign.err).toContain('The store to copy to holds other runs.');
    expect(await cli.run('store', 'copy', HERE, HERE)).toMatchObject({ code: 2 });
    const unset = await cli.run('store', 'copy', HERE, 'env:NO_SUCH_URL');
    expect(unset).toMatchObject({ code: 2, err: expect.stringContaining('NO_SUCH_URL is not set') });
  });

  it('copy refuses a source that is not there, and makes nothing', async () => {
    const refused = await cli.run('store', 'copy', 'sqlite:typo.db', 'sqlite:new/out.db');
    expect(refused).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('There is no store to copy'),
    });
    expect([cli.has('typo.db'), cli.has('new')]).toEqual([false, false]);
  });

  it('copy that was not completed is refused by every other command', async () => {
    await evaluated();
    await cli.run('store', 'copy', HERE, 'sqlite:there/touchstone.db');
    const sqlite = await openSqlite(join(cli.cwd, 'there/touchstone.db'));
    sqlite.exec('CREATE TABLE unfinished_copy (mark INTEGER)');
    sqlite.close();
    for (const verb of [['runs'], ['store', 'check'], ['serve', '--port', '0'], ['doctor']]) {
      const { code, out, err } = await cli.run(...verb, '--data', 'there');
      expect({ verb, code }).toEqual({ verb, code: verb[0] === 'doctor' ? 1 : 3 });
      expect(out + err).toContain('it holds an unfinished copy. Give the same "touchstone store copy" again');
    }
    expect(await cli.run('store', 'copy', HERE, 'sqlite:there/touchstone.db')).toMatchObject({ code: 0 });
    expect(await cli.run('store', 'check', '--data', 'there')).toMatchObject({ code: 0 });
  });

  it('check refuses where nothing is kept, and makes nothing', async () => {
    cli.write('empty/notes.txt', '');
    expect(await cli.run('store', 'check', '--data', 'empty')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('Nothing is kept in empty'),
    });
    expect(cli.has('empty/touchstone.db')).toBe(false);
    expect(await cli.run('store', 'check')).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no store to check: .touchstone/touchstone.db is not there.'),
    });
    expect(cli.has('.touchstone')).toBe(false);
    cli.write('other/touchstone.config.json', { store: 'sqlite:typo.db' });
    expect(await cli.run('store', 'check', '--config', 'other/touchstone.config.json')).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no store to check: other/typo.db is not there.'),
    });
    expect(cli.has('other/typo.db')).toBe(false);
  });

  it('check finds a log that is not whole, and names its run', async () => {
    const runId = await evaluated();
    expect(await cli.run('store', 'prepare')).toMatchObject({ code: 0 });
    expect(await cli.run('store', 'check')).toMatchObject({ code: 0 });
    const sqlite = await openSqlite(join(cli.cwd, '.touchstone/touchstone.db'));
    sqlite.exec('UPDATE runs SET event_count = event_count + 1');
    sqlite.close();
    const { code, document } = await json('store', 'check');
    expect(code).toBe(1);
    expect(document.faults).toEqual([`It counts another number of events than its log holds: ${runId}.`]);
  });
});

describe('backup', () => {
  it('copies the store and the key into a new folder that --data can name', async () => {
    const runId = await evaluated();
    await cli.run('export', runId, '--out', 'card.json');
    expect(await cli.run('backup', 'copy')).toMatchObject({ code: 0 });
    expect(readFileSync(join(cli.cwd, 'copy', 'signing-key.pem'))).toEqual(
      readFileSync(join(cli.cwd, '.touchstone', 'signing-key.pem')),
    );
    expect(statSync(join(cli.cwd, 'copy', 'touchstone.db')).mode & 0o777).toBe(0o600);
    const [here, there] = [await json('show', runId), await json('show', runId, '--data', 'copy')];
    expect(there).toEqual(here);
  });

  it('overwrites nothing, and refuses where nothing is kept', async () => {
    expect(await cli.run('backup', 'copy')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Nothing is kept'),
    });
    expect(cli.has('copy')).toBe(false);
    await evaluated();
    await cli.run('backup', 'copy');
    expect(await cli.run('backup', 'copy')).toMatchObject({
      code: 2,
      err: expect.stringContaining('already'),
    });
  });
});
