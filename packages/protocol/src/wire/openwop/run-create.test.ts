import { describe, expect, test } from 'vitest';
import { isHostError } from '../../model/errors.js';
import { check, parseRunCreate } from '../schema/validate.js';

describe('the request for a run', () => {
  const evaluation = { mode: 'eval', evalSuiteRef: 'core.acme.evals.refunds', agentId: 'local.acme.support' };
  test.each<[string, unknown, readonly string[]]>([
    ['a workflow', { workflowId: 'noop', inputs: {}, tags: ['a'], metadata: { x: 1 } }, []],
    ['one agent', { agentId: 'local.acme.support@1.0.0', inputs: {} }, []],
    ['a suite', { ...evaluation, configurable: { evalModes: ['golden'], repeats: 3, own: 1 } }, []],
    ['nothing', {}, ['/workflowId']],
    ['a workflow and an agent', { workflowId: 'noop', agentId: 'a' }, ['/workflowId']],
    ['a suite and a workflow', { ...evaluation, workflowId: 'noop' }, ['/workflowId']],
    ['a suite without an agent', { mode: 'eval', evalSuiteRef: 'a' }, ['/agentId']],
    ['a suite without the mode', { evalSuiteRef: 'a', agentId: 'b' }, ['/mode']],
    ['another mode', { ...evaluation, mode: 'golden' }, ['/mode']],
    ['no eval mode at all', { ...evaluation, configurable: { evalModes: [] } }, ['/configurable/evalModes']],
    [
      'eval modes in a text',
      { ...evaluation, configurable: { evalModes: 'golden' } },
      ['/configurable/evalModes'],
    ],
    ['too many repeats', { ...evaluation, configurable: { repeats: 101 } }, ['/configurable/repeats']],
    [
      'a budget with a stranger',
      { workflowId: 'a', configurable: { budget: { x: 1 } } },
      ['/configurable/budget/x'],
    ],
    ['a hot model', { workflowId: 'a', configurable: { temperature: 3 } }, ['/configurable/temperature']],
    ['a stranger', { workflowId: 'a', evalModes: ['golden'] }, ['/evalModes']],
    ['a callback', { workflowId: 'a', callbackUrl: 'https://a.example/' }, ['/callbackUrl']],
    ['an empty tag', { workflowId: 'a', tags: [''] }, ['/tags/0']],
    ['too many tags', { workflowId: 'a', tags: new Array(101).fill('a') }, ['/tags']],
  ])('for %s', (_, body, expected) => {
    expect(check('run-create', body).map(({ pointer }) => pointer)).toEqual(expected);
  });

  test('leaves the keys of an eval run alone in any other run', () => {
    const body = { workflowId: 'a', configurable: { repeats: 'as often as you like' } };
    expect(parseRunCreate(body)).toBe(body);
  });

  test('is refused with every issue in the details', () => {
    const refuse = () => parseRunCreate({ mode: 'eval' });
    expect(refuse).toThrowError('/evalSuiteRef: required, but missing (and 1 more)');
    expect(failure(refuse)).toMatchObject({ code: 'validation_error', details: { issues: [{}, {}] } });
  });
});

function failure(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return isHostError(error) ? error : undefined;
  }
}
