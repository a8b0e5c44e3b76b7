import { asId, type HostError, type Version } from '@touchstone/protocol';
import { describe, expect, test } from 'vitest';
import { highestVersion, parseAgentReference, parseSuiteReference } from './reference.js';

const refusal = (parse: () => unknown): HostError => {
  try {
    parse();
  } catch (error) {
    return error as HostError;
  }
  throw new Error('The reference was accepted.');
};

describe('references', () => {
  test('a suite is named by its id, with or without a version', () => {
    expect(parseSuiteReference('core.acme.evals.refunds')).toEqual({ suiteId: 'core.acme.evals.refunds' });
    const pinned = { suiteId: 'core.acme.evals.refunds', version: '1.20.3' };
    expect(parseSuiteReference('core.acme.evals.refunds@1.20.3')).toEqual(pinned);
  });

  test.each([
    '',
    '@1.0.0',
    'core.acme.refunds',
    'core.acme.evals.refunds@',
    'core.acme.evals.refunds@latest',
  ])('no suite is named by %j', (reference) => {
    const error = refusal(() => parseSuiteReference(reference));
    expect(error.code).toBe('validation_error');
    expect(error.details).toMatchObject({ field: 'evalSuiteRef', issues: [{ pointer: '/evalSuiteRef' }] });
  });

  test.each([
    'core.acme.evals.a@1.0.0@2.0.0',
    'core.acme.evals.a@1.0',
    'Core.acme.evals.a',
    `${'a.'.repeat(300)}evals.b`,
  ])('nor by %j', (reference) => {
    expect(refusal(() => parseSuiteReference(reference)).details?.field).toBe('evalSuiteRef');
  });

  test.each<[string, object]>([
    ['local.acme.support', { agentId: 'local.acme.support' }],
    ['local.acme.support@1.0.0', { agentId: 'local.acme.support', version: '1.0.0' }],
    ['local.acme.support@2.0.0-rc.1+b7', { agentId: 'local.acme.support', version: '2.0.0-rc.1+b7' }],
    ['local.acme.support@2026-01-31', { agentId: 'local.acme.support', version: '2026-01-31' }],
    ['local.acme.support@stable', { agentId: 'local.acme.support', channel: 'stable' }],
    ['host:acme.support_2@v2', { agentId: 'host:acme.support_2', channel: 'v2' }],
  ])('%s names an agent', (reference, expected) => {
    expect(parseAgentReference(reference)).toEqual(expected);
  });

  test.each(['', '@stable', 'a@', 'a b', 'a@b@c', 'a@-x', `a@${'x'.repeat(65)}`, 'x'.repeat(300), 'a\n@b'])(
    'no agent is named by %j',
    (reference) => {
      expect(refusal(() => parseAgentReference(reference)).details).toMatchObject({
        field: 'agentId',
        issues: [{ pointer: '/agentId' }],
      });
    },
  );
});

describe('the highest version', () => {
  test.each<[string[], string | undefined]>([
    [[], undefined],
    [['1.9.0', '1.10.0', '1.2.0'], '1.10.0'],
    [['2.0.0-rc.1', '2.0.0', '2.0.0-rc.2'], '2.0.0'],
    [['1.0.0+b', '1.0.0+a'], '1.0.0+b'],
    [['zebra', '0.0.1', '2026-01-31'], '0.0.1'],
    [['2026-01-31', '2026-02-01'], '2026-02-01'],
  ])('of %j is %j', (versions, highest) => {
    expect(highestVersion(versions.map(asId<Version>))).toBe(highest);
    expect(highestVersion(versions.toReversed().map(asId<Version>))).toBe(highest);
  });
});
