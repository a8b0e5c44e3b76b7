import { expect, test } from 'vitest';
import { openTestCli } from '../../testing/test-cli.js';

test('the name of a file cannot act on the terminal or forge a line, whether the file is valid or not', async () => {
  const cli = openTestCli({ isTTY: true, env: { NO_COLOR: '1' } });
  await cli.run('init', '.');
  const name = 'evals/a\u001b]0;x\u0007\n✓ forged\u202e.suite.yaml';
  cli.write(name, cli.read('evals/first.suite.yaml'));
  const valid = await cli.run('validate', name);
  cli.write(name, 'suiteId: 1\n');
  const wrong = await cli.run('validate', name);
  expect([valid.code, wrong.code]).toEqual([0, 2]);
  for (const { out, err } of [valid, wrong]) {
    expect(out + err).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(out).toContain('a\\u001b]0;x\\u0007\\n✓ forged\\u202e.suite.yaml');
  }
  cli.close();
});
