import { afterEach, beforeEach, expect, test } from 'vitest';
import { AGENT, type Contracts, openContractCli } from '../../testing/contract-cli.js';

let desk: Contracts;
beforeEach(() => {
  desk = openContractCli();
});
afterEach(() => desk.close());

test('an agent that only its definition describes is not promoted, and not even run for that', async () => {
  const { code, out, err } = await desk.run('run', 'agent.json', '--promote');
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(`${AGENT}@1.0.0 is played by its definition here`);
  expect(err).toContain('--agent <agentId>@<version>');
  expect((await desk.run('runs')).out).toContain('No runs.');
});

test('one of the configuration that takes its part is', async () => {
  desk.write('other.mjs', "export default ({ parcel }) => ({ place: 'shelf ' + parcel });");
  const run = { kind: 'module', path: 'other.mjs' };
  desk.configure({ agents: [{ agentId: 'local.acme.other', version: '1.0.0', run }] });
  const argv = ['run', 'agent.json', '--agent', 'local.acme.other@1.0.0', '--promote', '--to', 'test'];
  const { code, out, err } = await desk.run(...argv, '--suite-name', 'other', '--json');
  expect(code, err).toBe(0);
  expect(JSON.parse(out).promotion).toMatchObject({ steps: [{ toState: 'test', outcome: 'moved' }] });
});
