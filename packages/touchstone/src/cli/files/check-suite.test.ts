import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Contracts, openContractCli } from '../testing/contract-cli.js';

let desk: Contracts;
beforeEach(async () => {
  desk = openContractCli({ isTTY: true, env: { NO_COLOR: '1' } });
  await desk.run('compile', 'agent.json', '--out', 'build');
});
afterEach(() => desk.close());

const SUITE = 'build/parcel-desk.suite.json';
const CONTRACT = 'build/parcel-desk.contract.json';

test('validate names the contract for what is wrong with it, and its line', async () => {
  const { suiteVersion: _, ...contract } = JSON.parse(desk.read(CONTRACT));
  desk.write(CONTRACT, { suiteVersion: '2.0.0', ...contract });
  const { code, out } = await desk.run('validate', 'build');
  expect(code).toBe(2);
  expect(out).toContain(`✗ ${SUITE}\n  ${CONTRACT}:4:2 /suiteId This is the contract of`);
  // Only a line of the suite itself could be quoted here.
  expect(out).not.toContain('|');
  const { files } = JSON.parse((await desk.run('validate', 'build', '--json')).out);
  expect(files).toMatchObject([{ file: SUITE, issues: [{ file: CONTRACT, pointer: '/suiteId' }] }]);
  desk.write(CONTRACT, '{');
  expect((await desk.run('validate', 'build')).out).toContain(`  ${CONTRACT}:1:`);
});

test('validate names the suite for what is wrong with that', async () => {
  desk.write(SUITE, '{');
  expect((await desk.run('validate', 'build')).out).toContain(`✗ ${SUITE}\n  ${SUITE}:1:`);
});
