import { asId, type RunId } from '@touchstone/protocol';
import { expect, test } from 'vitest';
import { openDesk } from '../../testing/test-io.js';
import type { Refusal, Where } from './deploy-door.js';
import { nextAfter } from './deploy-hints.js';
import type { Wish } from './deploy-options.js';

const { io, close } = openDesk();
close();
const context = { io, settings: { data: '.touchstone', json: false, color: false } };
const wish: Wish = {
  agentId: 'local.acme.support',
  version: '1.1.0',
  transition: 'promote',
  to: 'active',
  channel: 'stable',
  evalRun: 'run-new',
};
const unmet = (details: object): Refusal => ({
  code: 'eval_gate_unmet',
  message: 'No.',
  details: { suite: 'local.acme.evals.refunds', ...details },
});
const commandsAfter = (error: Refusal, where: Where = {}): readonly string[] =>
  nextAfter(context, wish, where, { toState: 'active', error }, asId<RunId>('run-new')).map(
    ({ command }) => command,
  );

const AGAIN =
  'touchstone run local.acme.evals.refunds --agent local.acme.support@1.1.0 --promote --channel stable';

test('after a regression the run is held against the one it is worse than', () => {
  const worse = unmet({ reason: 'regression', against: 'run-old', serving: '1.0.0' });
  expect(commandsAfter(worse)).toEqual(['touchstone compare run-old run-new', AGAIN]);
  expect(commandsAfter(worse, { host: 'http://h' })).toEqual([`${AGAIN} --host http://h`]);
});

test('where nothing could be compared, what serves is run on the suite and the same is asked again', () => {
  expect(commandsAfter(unmet({ reason: 'not_compared', serving: '1.0.0' }))).toEqual([
    'touchstone run local.acme.evals.refunds --agent local.acme.support@1.0.0',
    'touchstone promote local.acme.support@1.1.0 --channel stable --eval-run run-new',
  ]);
});

test('what the run itself has shown is looked at', () => {
  expect(commandsAfter(unmet({ reason: 'below_score' }))).toEqual(['touchstone show run-new', AGAIN]);
});
