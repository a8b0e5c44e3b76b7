import { asId } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import { createDeferred } from '../../net/index.js';
import type { Commit, Lease, RunLog, TaskRecord } from '../../ports/index.js';
import { createCommitter } from './committer.js';

const LEASE: Lease = {
  owner: { tenant: 'acme', workspace: 'main' },
  ...{ runId: asId('r'), runNo: 1, token: 1, lostDrives: 0 },
};
const recordOf = (ordinal: number): TaskRecord => ({ ordinal, repeat: 0, events: [] });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A committer whose commits end when they are told to. */
function committerOn(gather: () => Promise<void>) {
  const commits: { readonly commit: Commit; readonly end: () => void }[] = [];
  const log = {
    commit: (_lease: Lease, commit: Commit) => {
      const ended = createDeferred<void>();
      commits.push({ commit, end: () => ended.resolve() });
      return ended.promise;
    },
  } as unknown as RunLog;
  const committer = createCommitter({
    ...{ log, lease: LEASE, firstSequence: 0, gather },
    takeReady: () => [],
    onCommitted: () => undefined,
    onFailed: (error) => expect.unreachable(String(error)),
  });
  const add = (from: number, count: number) => {
    for (let at = 0; at < count; at += 1) committer.add(recordOf(from + at), undefined);
  };
  return { committer, commits, add };
}

it('seals that fill a commit while another one is written go to disk as soon as it has ended', async () => {
  const { committer, commits, add } = committerOn(() => new Promise(() => undefined));
  add(0, 256);
  add(256, 256);
  await turn();
  expect(commits).toHaveLength(1);
  commits[0]?.end();
  await turn();
  expect(commits).toHaveLength(2);
  expect(commits[1]?.commit.seals).toHaveLength(256);
  expect(committer.uncommitted).toBe(256);
});

it('fewer of them wait for more', async () => {
  const gathered = createDeferred<void>();
  const { commits, add } = committerOn(() => gathered.promise);
  add(0, 256);
  add(256, 255);
  await turn();
  commits[0]?.end();
  await turn();
  expect(commits).toHaveLength(1);
  gathered.resolve();
  await turn();
  expect(commits[1]?.commit.seals).toHaveLength(255);
});
