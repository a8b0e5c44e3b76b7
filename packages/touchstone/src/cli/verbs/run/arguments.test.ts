import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asId, type RunId } from '@touchstone/protocol';
import { describe, expect, test } from 'vitest';
import { suggest } from '../../suggest.js';
import { keyState, makeKey, parseLifetime } from '../project/keys.js';
import { readAgentArgument, slugOf } from './agent-choice.js';
import { checkSameBaseline, checkSamePlan } from './resume-run.js';
import { checkOptions, configurableOf } from './run-options.js';
import { isRelevant, watchFiles } from './watch-paths.js';

describe('an agent on the command line', () => {
  test('is a URL, a module file, or a name', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'touchstone-agent-'));
    writeFileSync(join(cwd, 'a.mjs'), '');
    expect(readAgentArgument('https://x/y', cwd).kind).toBe('url');
    expect(readAgentArgument('a.mjs', cwd)).toEqual({ kind: 'module', path: join(cwd, 'a.mjs') });
    expect(readAgentArgument('local.acme.support@1.0.0', cwd).kind).toBe('reference');
    expect(readAgentArgument('local.acme.node.js', cwd).kind).toBe('reference');
    expect(() => readAgentArgument('b.ts', cwd)).toThrow(/no agent module at b\.ts/);
    rmSync(cwd, { recursive: true });
  });

  test.each([
    ['/x/My Agent!.mjs', 'my-agent'],
    ['/x/007.js', 'agent'],
    ['/x/9lives_v2.ts', 'lives-v2'],
  ])('%s gets a name an agent id can hold', (path, slug) => {
    expect(slugOf({ kind: 'module', path })).toBe(slug);
  });

  test('two paths of one host are two agents', () => {
    const [one, other] = ['http://127.0.0.1:9000/a', 'http://127.0.0.1:9000/b'].map((url) =>
      slugOf({ kind: 'url', url }),
    );
    expect(one).not.toBe(other);
    expect(`local.cli.${one}`).toMatch(/^local\.cli\.[a-z][a-z0-9-]*$/);
  });
});

describe('options of a run', () => {
  test('become the knobs the host knows', () => {
    const options = {
      modes: ['golden'],
      only: ['a', 'b', 'a'],
      repeats: 3,
      concurrency: 2,
      timeout: 9,
      budget: 0.5,
      model: 'local/small-1',
      cache: true,
      allowTargetMismatch: true,
    };
    expect(configurableOf(options)).toEqual({
      evalModes: ['golden'],
      onlyTasks: ['a', 'b'],
      repeats: 3,
      concurrency: 2,
      runTimeoutMs: 9,
      budget: { maxCostUsd: 0.5 },
      model: 'local/small-1',
      cache: true,
      allowTargetMismatch: true,
    });
    expect(configurableOf({})).toEqual({});
    const compared = { baseline: 'last', tolerance: 0.02, allowJudgeMismatch: true };
    expect(configurableOf(compared, asId<RunId>('run-1'))).toEqual({
      baselineRunId: 'run-1',
      regression: { tolerance: 0.02 },
      allowJudgeMismatch: true,
    });
  });

  test('that contradict each other are refused by name', () => {
    expect(() => checkOptions(undefined, {}, false)).toThrow(/Which suite/);
    expect(() => checkOptions(undefined, { resume: true }, false)).not.toThrow();
    expect(() => checkOptions('s', { watch: true }, true)).toThrow(/--json/);
    expect(() => checkOptions('s', { watch: true, host: 'http://x' }, false)).toThrow(/--host/);
    expect(() => checkOptions(undefined, { watch: true, resume: true }, false)).toThrow(/--resume/);
  });
});

test('a resumed run takes the options it was planned with and no others', () => {
  const planned = { concurrency: 8, onlyTasks: ['a'] };
  expect(() => checkSamePlan({ concurrency: 8, only: ['a'] }, planned)).not.toThrow();
  expect(() => checkSamePlan({}, planned)).not.toThrow();
  expect(() => checkSamePlan({ concurrency: 9 }, planned)).toThrow(/--concurrency/);
  expect(() => checkSamePlan({ allowTargetMismatch: true }, planned)).toThrow(/--allow-target-mismatch/);
});

test('a resumed run is compared with what it was planned to be compared with', () => {
  const runId = asId<RunId>('run-1');
  for (const baseline of ['last', 'run-1'])
    expect(() => checkSameBaseline({ baseline }, 'last', runId)).not.toThrow();
  expect(() => checkSameBaseline({}, 'last', runId)).not.toThrow();
  expect(() => checkSameBaseline({ baseline: 'run-2' }, 'last', runId)).toThrow(/another --baseline/);
  expect(() => checkSameBaseline({ baseline: 'last' }, undefined, undefined)).toThrow(/--baseline/);
  const modes = ['golden', 'regression'];
  const planned = { evalModes: modes, baselineRunId: 'run-1' };
  expect(() => checkSamePlan({ baseline: 'last', modes }, planned)).not.toThrow();
  expect(() => checkSamePlan({ baseline: 'last', modes }, { evalModes: ['golden'] })).not.toThrow();
  expect(() => checkSamePlan({ tolerance: 0.1 }, planned)).toThrow(/another --tolerance/);
});

test('a mistyped name is met by the nearest ones', () => {
  expect(suggest('suport', ['local.acme.support', 'support', 'report'])).toEqual(['support']);
  expect(suggest('bat', ['cat', 'rat', 'dog'])).toEqual(['cat', 'rat']);
  expect(suggest('bat', [])).toEqual([]);
  expect(suggest('acme', ['local.acme.support'])).toEqual(['local.acme.support']);
  expect(suggest('zzz', ['support'])).toEqual([]);
});

describe('an API key', () => {
  test('is kept as its hash and nothing else', () => {
    const owner = { tenant: 'a', workspace: 'b' };
    const { key, row } = makeKey({ owner, principal: 'p', roles: ['admin'], now: 1000, lifetimeMs: 500 });
    expect(key).toMatch(/^ts_[\w-]{43}$/);
    expect(JSON.stringify(row)).not.toContain(key);
    expect(row.keyHash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect([1499, 1500].map((now) => keyState(row, now))).toEqual(['active', 'expired']);
    expect(keyState({ ...row, revokedAt: 1 }, 0)).toBe('revoked');
  });

  test('lives as long as was said', () => {
    expect(['45m', '12h', '30d', '8w'].map(parseLifetime)).toEqual([
      2_700_000, 43_200_000, 2_592_000_000, 4_838_400_000,
    ]);
    for (const wrong of ['', '30', 'd', '-1d', '0d', '1y', '1.5h'])
      expect(() => parseLifetime(wrong)).toThrow(/12h or 30d/);
  });
});

describe('watched files', () => {
  const watched = { files: ['/p/evals/s.yaml'], folders: ['/p'], outputs: ['/p/report.xml'] };

  test('are the suite itself and what lies beside an agent, but not what the run writes', () => {
    const relevant = (folder: string, name: string): boolean => isRelevant(watched, folder, name);
    expect(relevant('/p/evals', 's.yaml')).toBe(true);
    expect(relevant('/p/evals', 'other.yaml')).toBe(false);
    expect(relevant('/p', 'helper.mjs')).toBe(true);
    expect(relevant('/p', 'report.xml')).toBe(false);
    expect(relevant('/p', '.touchstone')).toBe(false);
    expect(relevant('/p', 'node_modules')).toBe(false);
    expect(relevant('/p', 'agent.mjs~')).toBe(false);
  });

  test('a change wakes the waiting one, and an abort ends the wait', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'touchstone-watch-'));
    const file = join(folder, 's.yaml');
    writeFileSync(file, '1');
    const watcher = watchFiles({ files: [file], folders: [], outputs: [] });
    const stop = new AbortController();
    try {
      const changed = watcher.changed(stop.signal);
      writeFileSync(file, '2');
      await changed;
      const aborted = watcher.changed(stop.signal);
      stop.abort(new Error('enough'));
      await expect(aborted).rejects.toThrow('enough');
    } finally {
      watcher.close();
      rmSync(folder, { recursive: true });
    }
  });
});
