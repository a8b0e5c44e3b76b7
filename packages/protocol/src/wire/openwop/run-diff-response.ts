import type { RunId } from '../../model/ids.js';
import {
  anyObject,
  choice,
  closed,
  count,
  flag,
  id,
  list,
  plain,
  published,
  type Wire,
} from '../schema/build.js';

const event = (description: string) => anyObject(description, { additionalProperties: true });

export const runDiffResponse = closed(
  {
    a: id<RunId>('The run that was asked about.'),
    b: id<RunId>('The run it is held against.'),
    eventDiffs: list(
      closed(
        {
          seq: count('The place in the logs.'),
          op: choice(['added', 'removed', 'changed'], 'Seen from the first run.'),
        },
        { aEvent: event('The event in the first run.'), bEvent: event('The event in the second.') },
      ),
      'The differences, in order.',
    ),
    stateDiff: event('What differs in the end.'),
  },
  {
    divergedAtSeq: plain<number | null>({
      description: 'The first difference; null when there is none.',
      type: ['integer', 'null'],
      minimum: 0,
    }),
    truncated: flag('Whether a run was still going on, or differences were left out for size.'),
  },
  published(
    'run-diff-response',
    'RunDiffResponse',
    'What differs between two runs, clocks and ids left aside.',
  ),
);
/** Answer of `GET /v1/runs/{runId}:diff`: two event logs compared. */
export type RunDiffResponseWire = Wire<typeof runDiffResponse>;
