import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shareOpenFiles } from './open-files.js';

it('tasks and kept connections leave a quarter of the open files for callers and the store', () => {
  expect(shareOpenFiles(1024)).toEqual({ tasks: 204, idleConnections: 128, callers: 204 });
  const { tasks, idleConnections } = shareOpenFiles(20_000);
  expect(tasks * 3 + idleConnections).toBeLessThanOrEqual(20_000 * 0.75);
});

it.runIf(process.platform === 'linux')('the limit of this process is read', () => {
  const limit = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' });
  expect(shareOpenFiles()).toEqual(shareOpenFiles(Number(limit)));
});
