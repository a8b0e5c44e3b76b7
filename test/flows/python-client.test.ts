import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasPython } from '../../packages/touchstone/src/agents/fixtures/has-python.js';
import { KEY } from './processes.js';
import { openWholeHost } from './whole-host.js';

// Goal: the client of one Python file installs a suite, runs it, and reads what came of it.
const FOLDER = fileURLToPath(new URL('../../packages/touchstone/assets/python', import.meta.url));

const SUITE = {
  suiteId: 'local.test.evals.echo',
  version: '1.0.0',
  modes: ['golden'],
  tasks: [
    {
      taskId: 'one',
      input: 'same',
      expected: { kind: 'golden', match: { strategy: 'exact', value: 'same' } },
    },
  ],
};

const PROGRAM = `
import json, sys
from touchstone_client import Client, HostError
client = Client(sys.argv[1], key=sys.argv[2])
client.install_suite(json.loads(sys.argv[3]))
run = client.create_run("local.test.evals.echo@1.0.0", "local.test.echo")
ended = client.wait(run["runId"], timeout=60, every=0.05)
told = {"status": ended["status"], "summary": client.summary(run["runId"]), "report": client.report(run["runId"])}
try:
    client.run("run-absent")
except HostError as error:
    told["refused"] = [error.status, error.code]
print(json.dumps(told))
`;

describe.skipIf(!hasPython())('the Python client', () => {
  it('installs a suite, runs it, waits, and reads summary and report; a refusal is an error with its code', async () => {
    const run = { kind: 'module', path: './echo.mjs' };
    const config = { agents: [{ agentId: 'local.test.echo', version: '1.0.0', run }] };
    const host = await openWholeHost(config, { files: { 'echo.mjs': 'export default (input) => input;' } });
    onTestFinished(() => host.close());
    const args = ['-c', PROGRAM, host.url, KEY, JSON.stringify(SUITE)];
    const { stdout } = await promisify(execFile)('python3', args, {
      env: { ...process.env, PYTHONPATH: FOLDER, PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      summary: { aggregateScore: 1, passed: true },
      report: { tasks: { total: 1, passed: 1 } },
      refused: [404, 'not_found'],
    });
  });
});
