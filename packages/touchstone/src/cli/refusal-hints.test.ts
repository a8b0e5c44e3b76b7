import { HostError, validationError } from '@touchstone/protocol';
import { describe, expect, test } from 'vitest';
import { hintFor } from './refusal-hints.js';

const judgeAway = (pointer: string): HostError =>
  validationError([{ pointer, message: 'Nobody can be asked.' }], { code: 'judge_unavailable' });

describe('a judge that cannot be asked', () => {
  test('can be named by whoever judges again, and not by whoever runs a suite', () => {
    expect(hintFor(judgeAway('/judge'))).toContain('--judge <provider>/<model>');
    const running = hintFor(judgeAway('/evalSuiteRef'));
    expect(running).toContain('touchstone doctor');
    expect(running).not.toContain('--judge');
  });
});

test('a variable that is not set can be set in the file .env', () => {
  const message = 'Agent a needs the environment variable DESK_KEY, which is not set.';
  expect(hintFor(validationError([{ pointer: '/agentId', message }]))).toContain('.env');
});

describe('a refusal about the profile in a pack', () => {
  const refusal = (code: string, of: 'validation_error' | 'unavailable' = 'validation_error'): HostError =>
    new HostError(of, 'Agent a: evaluation/a.yaml: no.', { code, ref: 'evaluation', issues: [] });

  test('names no option that packs do not have', () => {
    for (const code of ['no_tasks', 'dataset_unpinned', 'dataset_not_found', 'scheme_unsupported', 'other']) {
      const hint = hintFor(refusal(code));
      expect(hint).toBeTruthy();
      expect(hint).not.toContain('--');
    }
  });

  test('has no advice where only time helps', () => {
    expect(hintFor(refusal('dataset_timeout', 'unavailable'))).toBeUndefined();
  });
});

describe('a conflict', () => {
  test('is answered with another version only where the content of one has changed', () => {
    const changed =
      'Suite a@1.0.0 is installed with other content. Versions do not change: raise the version.';
    expect(hintFor(new HostError('conflict', changed))).toContain('Raise "version"');
    expect(hintFor(new HostError('conflict', 'a@1.0.0 of this pack is active.'))).toBeUndefined();
  });
});

test('a revoked pack is not looked for in the configuration', () => {
  const revoked = new HostError('pack_revoked', 'Its pack is revoked.', { field: 'agentId' });
  expect(hintFor(revoked)).toBeUndefined();
});

describe('a suite that its envelope does not sign', () => {
  const refused = (code: 'pack_integrity_failure' | 'pack_signature_invalid', details?: object): string =>
    hintFor(new HostError(code, 'Suite a@1.0.0 is refused.', { suite: 'a@1.0.0', ...details })) ?? '';

  test('is signed with the command of suites, and is never to be pinned as it is', () => {
    for (const code of ['pack_integrity_failure', 'pack_signature_invalid'] as const) {
      expect(refused(code)).toContain('touchstone suite sign');
      expect(refused(code)).not.toContain('archive');
      expect(refused(code)).not.toContain('integrity');
    }
  });

  test('can be pinned where nothing but the pin is in its way', () => {
    expect(refused('pack_integrity_failure', { integrity: 'sha256-x' })).toContain(
      'If this is the suite you mean',
    );
  });
});
