import { describe, expect, it } from 'vitest';
import { parseConfig } from './config.js';

const SUITE = 'core.acme.evals.refunds';
const gate = { agentId: '*', to: 'active', requiredEval: { suite: SUITE } };
const approval = { requiredRole: 'admin' };
const issuesOf = (gates: unknown): readonly string[] => {
  try {
    parseConfig({ gates }, '/');
    return [];
  } catch (error) {
    const { issues } = (error as { details: { issues: { pointer: string; message: string }[] } }).details;
    return issues.map(({ pointer, message }) => `${pointer} ${message}`);
  }
};

describe('a gate', () => {
  it('is read with what it leaves out', () => {
    const [one, two] = parseConfig(
      {
        gates: [
          { ...gate, approval },
          { ...gate, gateId: 'second', tenant: 'acme' },
        ],
      },
      '/',
    ).gates;
    expect(one).toEqual({
      gateId: '*:active',
      agentId: '*',
      to: 'active',
      requiredEval: { suite: SUITE },
      approval: { requiredRole: 'admin', gateId: '*:active', quorum: 1 },
    });
    expect(two).toMatchObject({ gateId: 'second', tenant: 'acme' });
  });

  it('names a judge by its model or its digest, in either form', () => {
    const judges = ['local/j', { model: 'local/j' }, { digest: 'sha256:1' }].map(
      (judge) =>
        parseConfig({ gates: [{ ...gate, requiredEval: { suite: SUITE, judge } }] }, '/').gates[0]
          ?.requiredEval?.judge,
    );
    expect(judges).toEqual(['local/j', 'local/j', 'sha256:1']);
  });

  it.each([
    ['asks for nothing', { agentId: '*', to: 'active' }, '/gates/0 expected "requiredEval" or "approval"'],
    ['names no suite', { ...gate, requiredEval: {} }, '/gates/0/requiredEval'],
    ['names no suite by id', { ...gate, requiredEval: { suite: 'x' } }, '/gates/0/requiredEval/suite'],
    ['is on the way back', { ...gate, to: 'rolled-back' }, '/gates/0/to'],
    [
      'has nobody who grants',
      { ...gate, approval: { quorum: 2 } },
      '/gates/0/approval expected "requiredRole"',
    ],
    [
      'has an unknown role',
      { ...gate, approval: { requiredRole: 'pope' } },
      '/gates/0/approval/requiredRole no such',
    ],
    [
      'has an unknown role to override',
      { ...gate, approval: { ...approval, override: { requiredRole: 'pope' } } },
      '/gates/0/approval/override/requiredRole',
    ],
    [
      'wants overrides unseen',
      { ...gate, approval: { ...approval, override: { requiredRole: 'admin', audited: false } } },
      '/gates/0/approval/override/audited',
    ],
    ['has a star in the middle', { ...gate, agentId: 'a*b' }, '/gates/0/agentId'],
    ['needs nobody', { ...gate, approval: { ...approval, quorum: 0 } }, '/gates/0/approval/quorum'],
  ])('that %s is refused', (_, wrong, begins) => {
    const issues = issuesOf([wrong]);
    expect(issues).toHaveLength(1);
    expect(issues[0]?.startsWith(begins), issues[0]).toBe(true);
  });

  it('is not there twice under one name', () => {
    expect(issuesOf([gate, gate])).toEqual([expect.stringContaining('/gates/1 there is another gate')]);
  });
});
