import { asId } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import { createManualClock } from '../testing/manual-clock.js';
import { createRecorder } from './recorder.js';

it('what was recorded before the beginning happened then, and what came later keeps its time', async () => {
  const clock = createManualClock(1_000);
  const recorder = createRecorder('n', clock, undefined);
  const agentId = asId<never>('a');
  const reasoned = () => recorder.add('agent.reasoned', { agentId, reasoning: '', verbosity: 'full' });
  const times = () => recorder.events.map(({ at }) => at);
  reasoned();
  await clock.advance(500);
  recorder.begin(0);
  await clock.advance(10);
  reasoned();
  expect(times()).toEqual([1_500, 1_510]);
  await clock.advance(10);
  recorder.begin(50.4);
  expect(times()).toEqual([1_470, 1_510]);
});
