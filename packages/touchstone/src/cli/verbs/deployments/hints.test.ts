import { asId, type RunId } from '@touchstone/protocol';
import { expect, test } from 'vitest';
import type { Where } from '../../session.js';
import { openTestCli } from '../../testing/test-cli.js';
import { commandsAfter } from './hints.js';
import type { PromotionRequest } from './options.js';
import type { Refusal } from './transitions.js';

const { io, close } = openTestCli();
close();
const context = { io, settings: { data: '.touchstone', json: false, color: false } };
const request: PromotionRequest = {
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
const typedAfter = (error: Refusal, where: Where = {}): readonly string[] =>
  commandsAfter(context, request, where, { toState: 'active', error }, asId<RunId>('run-new')).map(
    ({ command }) => command,
  );

const AGAIN =
  'touchstone run local.acme.evals.refunds --agent local.acme.support@1.1.0 --promote --channel stable';

test('after a regression the run is held against the one it is worse than', () => {
  const worse = unmet({ reason: 'regression', against: 'run-old', serving: '1.0.0' });
  expect(typedAfter(worse)).toEqual(['touchstone compare run-old run-new', AGAIN]);
  expect(typedAfter(worse, { host: 'http://h' })).toEqual([
    'touchstone compare run-old run-new --host http://h',
    `${AGAIN} --host http://h`,
  ]);
});

test('where nothing could be compared, what serves is run on the suite and the same is asked again', () => {
  expect(typedAfter(unmet({ reason: 'not_compared', serving: '1.0.0' }))).toEqual([
    'touchstone run local.acme.evals.refunds --agent local.acme.support@1.0.0',
    'touchstone promote local.acme.support@1.1.0 --channel stable --eval-run run-new',
  ]);
});

test('what the run itself has shown is looked at', () => {
  expect(typedAfter(unmet({ reason: 'below_score' }))).toEqual(['touchstone show run-new', AGAIN]);
});
