import { FORK_MODES, RUN_STATUSES } from '@touchstone/protocol';
import type { Shape } from '@touchstone/protocol/wire';

const runId: Shape = { type: 'string', minLength: 1, maxLength: 128 };
const reason: Shape = {
  type: 'string',
  maxLength: 1_024,
  description: 'Why, in a few words; recorded with the run.',
};
const when: Shape = { type: 'string', description: 'ISO 8601.' };
const status: Shape = { type: 'string', enum: RUN_STATUSES };

const closed = (properties: { readonly [name: string]: Shape }, required: readonly string[] = []): Shape => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

export const createdRun = closed(
  { runId, status, eventsUrl: { type: 'string' }, statusUrl: { type: 'string' } },
  ['runId', 'status', 'eventsUrl'],
);

export type ReasonBody = { readonly reason?: string };
export const reasonBody = closed({ reason });

export type PauseBody = {
  readonly reason?: string;
  readonly drainPolicy?: 'immediate' | 'drain-current-node';
};
export const pauseBody = closed({
  reason,
  drainPolicy: { type: 'string', enum: ['immediate', 'drain-current-node'] },
});

export type RejudgeBody = { readonly judge?: string; readonly votes?: number };
export const rejudgeBody = closed({
  judge: {
    type: 'string',
    minLength: 1,
    maxLength: 256,
    description:
      'The model that judges, as provider/model or by a configured name; default: the configured judge.',
  },
  votes: {
    type: 'integer',
    minimum: 1,
    maximum: 25,
    description: 'How often it is asked; the majority decides.',
  },
});

export const forkBody = closed(
  {
    mode: {
      type: 'string',
      enum: FORK_MODES,
      description: 'replay reads the recorded facts again; branch runs on from a point.',
    },
    fromSeq: {
      type: 'integer',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Events before it are fixed history; required with branch, 0 by default with replay.',
    },
    runOptionsOverlay: {
      ...closed({
        configurable: { type: 'object' },
        tags: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 256 },
          maxItems: 100,
        },
        metadata: { type: 'object' },
      }),
      description: 'Options of a branch that differ from the source.',
    },
  },
  ['mode'],
);
export const forkedRun = closed(
  {
    runId,
    sourceRunId: runId,
    mode: { type: 'string', enum: FORK_MODES },
    status,
    eventsUrl: { type: 'string' },
    fromSeq: { type: 'integer', minimum: 0 },
  },
  ['runId', 'sourceRunId', 'mode', 'status', 'eventsUrl'],
);

export const MAX_BULK = 100;
export type BulkCancelBody = { readonly runIds: readonly string[]; readonly reason?: string };
export const bulkCancelBody = closed(
  { runIds: { type: 'array', items: runId, minItems: 1, maxItems: MAX_BULK }, reason },
  ['runIds'],
);

export const runStatus = closed({ runId, status }, ['runId', 'status']);
export const pausedRun = closed({ runId, status, pausedAt: when }, ['runId', 'status']);
export const resumedRun = closed({ runId, status, resumedAt: when }, ['runId', 'status']);
export const bulkResults = closed(
  {
    results: {
      type: 'array',
      items: closed({ runId, ok: { type: 'boolean' }, status, error: { type: 'string' } }, ['runId', 'ok']),
    },
  },
  ['results'],
);
