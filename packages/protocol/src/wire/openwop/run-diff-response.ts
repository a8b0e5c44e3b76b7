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

/** An event, or a state, with whatever members it has. */
const event = (description: string) => anyObject(description, { additionalProperties: true });

/** The protocol's schema of a comparison of two logs (RFC 0054). */
export const runDiffResponse = closed(
  {
    /** The run in the path. */
    a: id<RunId>('The run that was asked about.'),
    /** The run in the query parameter `against`. */
    b: id<RunId>('The run it is held against.'),
    /** Empty when the logs are equal. */
    eventDiffs: list(
      closed(
        {
          /** The sequence of the event, from 0. */
          seq: count('The place in the logs.'),
          /**
           * Seen from the first run. `removed`: only `a` has it. `added`: only `b` has it. `changed`: both have it,
           * with different facts.
           */
          op: choice(['added', 'removed', 'changed'], 'Seen from the first run.'),
        },
        {
          /** The event in the first run. Absent when `a` has no event at that place. */
          aEvent: event('The event in the first run.'),
          /** The event in the second run; absent when `b` has no event at that place. */
          bEvent: event('The event in the second.'),
        },
      ),
      'The differences, in order.',
    ),
    /** By member of the final state, its value in `a` and in `b`; empty when no member differs. */
    stateDiff: event('What differs in the end.'),
  },
  {
    /** The sequence of the first difference; `null` when the logs are equal. */
    divergedAtSeq: plain<number | null>({
      description: 'The first difference; null when there is none.',
      type: ['integer', 'null'],
      minimum: 0,
    }),
    /**
     * Whether a run was still going on, or differences were left out for size. Absent when the comparison is
     * complete.
     */
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
