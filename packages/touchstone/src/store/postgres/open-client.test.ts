import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const BUILT = fileURLToPath(new URL('../../../dist/store/postgres/open-client.js', import.meta.url));

it('the driver is loaded without the client of fetch, and nothing global is left behind', () => {
  const script = `
    const before = Object.getOwnPropertyNames(globalThis).length;
    const { loadDriver } = await import(process.argv[1]);
    const { Client } = await loadDriver();
    const after = Object.getOwnPropertyNames(globalThis).length;
    const hasFetch = process.moduleLoadList.some((name) => name.includes('undici'));
    console.log(JSON.stringify({ client: typeof Client, left: after - before, hasFetch }));`;
  const told = execFileSync(process.execPath, ['--input-type=module', '-e', script, BUILT], {
    encoding: 'utf8',
  });
  expect(JSON.parse(told)).toEqual({ client: 'function', left: 0, hasFetch: false });
});
