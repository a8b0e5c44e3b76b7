// Bodies and answers of operations on runs that the protocol publishes no schema for.
import type { RunId, TaskId, Timestamp, ToolId } from '../../model/ids.js';
import { INVOCATION_OUTCOMES, UNSCORED_REASONS } from '../../model/score.js';
import { FORK_MODES, RUN_STATUSES } from '../../model/status.js';
import type { annotation } from '../openwop/annotation.js';
import type { runEvent } from '../openwop/run-event.js';
import {
  choice,
  closed,
  count,
  flag,
  fraction,
  id,
  integer,
  json,
  jsonObject,
  list,
  mark,
  object,
  ref,
  text,
  type Wire,
} from '../schema/build.js';
import { agentVersion, page } from './parts.js';
import { suiteInReport } from './report/report-parts.js';
import { taskResult } from './scorecard.js';

const runId = id<RunId>(undefined, { minLength: 1, maxLength: 128 });
const reason = text('Why, in a few words; recorded with the run.', { maxLength: 1_024 });
const status = choice(RUN_STATUSES);
const when = id<Timestamp>('ISO 8601.');

/** Answer of `POST /v1/runs` and of `:rejudge`. */
export const createdRun = closed(
  {
    /** The new run. */
    runId,
    /** Usually `pending`: a run begins after it was answered for. */
    status,
    /** Where its events can be followed. */
    eventsUrl: text(),
  },
  {
    /** Where its snapshot can be read. */
    statusUrl: text(),
  },
);
/** A run that was created and has not been waited for. */
export type CreatedRun = Wire<typeof createdRun>;

/** Schema of the body of `cancel` and of `:resume`. */
export const reasonBody = closed({}, { reason });

/** Schema of the body of `:pause`. */
export const pauseBody = closed(
  {},
  {
    /** Why the caller pauses the run, at most 1024 characters; absent when no reason is given. */
    reason,
    /** Whether tasks at work are given up, or finished first; finished when absent. */
    drainPolicy: choice(['immediate', 'drain-current-node']),
  },
);

/** Answer of `POST …/runs:preview`. */
export const runPreview = closed({
  /** The suite that would run. */
  suite: suiteInReport,
  /** The agent that would be evaluated. */
  agent: agentVersion,
  /** Tasks that would run. */
  tasks: count('Tasks that would run.'),
  /** How often each would run. */
  repeats: count('How often each would run.'),
  /** How often the agent would be invoked. */
  invocations: count('Tasks times repeats.'),
  /** How often judges would be asked, over all votes, if every invocation is answered. Repeated questions are not counted. */
  judgeQuestions: count('Questions to judges over all votes, at most.'),
  /** Tools that would be called for real; empty unless the mode is `live-shadow`. */
  liveTools: list(id<ToolId>(), 'Tools that would be called for real.'),
});
/** What a run would do. */
export type RunPreview = Wire<typeof runPreview>;

/** Schema of the body of `:rejudge`. */
export const rejudgeBody = closed(
  {},
  {
    /** `<provider>/<model>` or a configured name; the configured judge when absent. */
    judge: text(
      'The model that judges, as provider/model or by a configured name; default: the configured judge.',
      { minLength: 1, maxLength: 256 },
    ),
    /** How often the judge is asked about each criterion, from 1 to 25; the configured number when absent. */
    votes: integer('How often it is asked; the majority decides.', { minimum: 1, maximum: 25 }),
  },
);
/** Body of `POST …/runs/{runId}:rejudge`. */
export type RejudgeRun = Wire<typeof rejudgeBody>;

/** Schema of the body of `:fork`. */
export const forkBody = closed(
  {
    /** `replay` reads the recorded facts again; `branch` executes from `fromSeq` on. */
    mode: choice(FORK_MODES, 'replay reads the recorded facts again; branch runs on from a point.'),
  },
  {
    /** The first event that is the fork's own. Required with `branch`; 0 when absent with `replay`. */
    fromSeq: integer('Events before it are fixed history; required with branch, 0 by default with replay.', {
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
    /** Options of a branch that differ from the source; refused with `replay`. */
    runOptionsOverlay: closed(
      {},
      {
        /** Settings of the branch, over those of the source. */
        configurable: jsonObject(),
        /** Words to find the branch by, instead of those of the source. */
        tags: list(text(undefined, { minLength: 1, maxLength: 256 }), undefined, { maxItems: 100 }),
        /** Kept and given back, instead of that of the source. */
        metadata: jsonObject(),
      },
      { description: 'Options of a branch that differ from the source.' },
    ),
  },
);
/** Body of `POST /v1/runs/{runId}:fork`. A branch needs `fromSeq`; only a branch can change options. */
export type ForkRun = Wire<typeof forkBody>;

/** Answer of `:fork`. */
export const forkedRun = closed(
  {
    /** The new run. */
    runId,
    /** The run whose history it begins with. */
    sourceRunId: runId,
    /** How it continues that history, as the caller asked. */
    mode: choice(FORK_MODES),
    /** A replay is over when it is answered for; a branch goes on. */
    status,
    /** Where its events can be followed. */
    eventsUrl: text(),
  },
  {
    /** The first event that is its own. */
    fromSeq: count(),
  },
);
/** A run that begins with the history of another one. */
export type ForkedRun = Wire<typeof forkedRun>;

/** The most runs that one request may cancel. */
export const MAX_BULK = 100;
/** Schema of the body of `POST /v1/runs:bulk-cancel`. */
export const bulkCancelBody = closed(
  {
    /** The runs to cancel; each is answered for on its own. */
    runIds: list(runId, undefined, { minItems: 1, maxItems: MAX_BULK }),
  },
  { reason },
);

/** Answer of `cancel`. */
export const runStatus = closed({
  /** The run that was asked about. */
  runId,
  /** Where it stands now. */
  status,
});
/** What an operation on a run answers: where the run stands now. */
export type RunAnswer = Wire<typeof runStatus>;

/** Answer of `:pause`. */
export const pausedRun = closed({ runId, status }, { pausedAt: when });
/** Answer of `:resume`. */
export const resumedRun = closed({ runId, status }, { resumedAt: when });

const bulkResult = closed(
  {
    /** One of the runs that were named. */
    runId,
    /** Whether it is being cancelled, or was over. */
    ok: flag(),
  },
  {
    /** Where it stands now; absent when it could not be cancelled. */
    status,
    /** What kept it from being cancelled. */
    error: closed({
      /** The error code. */
      code: text(),
      /** The same, for people. */
      message: text(),
    }),
  },
);
/** What became of one of several runs that were to be cancelled. */
export type BulkCancelResult = Wire<typeof bulkResult>;
/** Answer of `POST /v1/runs:bulk-cancel`, in the order of the request. */
export const bulkResults = closed({ results: list(bulkResult) });

/** Answer of `GET /v1/runs/{runId}/events/poll`. */
export const polledEvents = closed(
  {
    /** Those after the sequence that the caller named, in order. */
    events: list(ref<typeof runEvent>('run-event')),
    /** Whether the last of them ends the run. */
    isComplete: flag(),
  },
  {
    /** With `types`: the last event that was looked at, which need not be among them. */
    lastSequence: integer('With types: the last event that was looked at.'),
  },
);

/** Oldest first. */
export const annotationList = closed({ annotations: list(ref<typeof annotation>('annotation')) });

const toolCallView = object(
  {
    /** The call's name in the events of the run. */
    callId: text(),
    /** The tool. */
    toolId: id<ToolId>(),
    /** `ok`, or why there is no result. */
    status: text(),
    /** What the agent gave to the tool. */
    inputs: json(),
  },
  {
    /** What the tool answered. */
    outcome: json(),
    /** What went wrong, in words. */
    error: text(),
    /** The agent called the tool itself and told the host afterwards. */
    observed: mark(),
  },
);
/** One call of a tool, with its content. */
export type ToolCallView = Wire<typeof toolCallView>;

/** Open: a newer host may say more about an invocation. */
const invocationView = object(
  {
    /** The invocation's name in the events of the run. */
    invocationId: text(),
    /** What the agent was given. */
    input: json(),
    /** How it ended. */
    outcome: choice(INVOCATION_OUTCOMES),
    /** Calls of tools in order, with inputs and outcomes. */
    toolCalls: list(toolCallView),
  },
  {
    /** What the agent answered; absent when it did not. */
    output: json(),
    /** Why it failed, in words; absent when it did not. */
    reason: text(),
    /** How often the agent was asked, when more than once. */
    attempts: count(),
    /** What a module or a command printed while it worked on the task. */
    printed: text(),
    /** Long-term memory that the agent read. */
    memory: list(jsonObject()),
    /** What was decided about each criterion, with the judge's reasons. */
    criteria: list(jsonObject()),
    /** What was measured of this repeat alone, without content. An older host does not say. */
    result: taskResult,
    /** Tokens of the agent's own model calls; absent when none were counted. */
    tokens: closed({
      /** Read by the models. */
      input: count(),
      /** Written by them. */
      output: count(),
    }),
  },
);

/** Answer of `GET …/runs/{runId}/tasks/{taskId}`. */
export const taskView = object(
  {
    /** The task in its suite. */
    taskId: id<TaskId>(),
    /** The score from 0 to 1, over all repeats; 0 when there is none. */
    score: fraction(),
    /** Whether the score reached the task's threshold. */
    passed: flag(),
    /** What the suite asks for, as its author wrote it. */
    expected: jsonObject(),
    /** One for each repeat, in order; as many as fit one answer. */
    invocations: list(invocationView),
  },
  {
    /** `fromRepeat` of the next part; absent when all repeats from the first of this answer on are in it. */
    nextRepeat: count(),
    /** What the score has to reach for the task to pass. An older host does not say. */
    bar: fraction('What the score has to reach.'),
    /** Why there is no score; absent when there is one. */
    unscored: choice(UNSCORED_REASONS, 'Why there is no score.'),
    /** Since when the answers, calls and reasons are gone, ISO 8601; absent while they are kept. */
    bodiesRemovedAt: when,
  },
);
/** One task of a run with its content: what the agent was given, and what it answered. */
export type TaskView = Wire<typeof taskView>;

/** Tasks of an eval run in pages, each with its place in the suite, counted from 0. */
export const taskPage = page(closed({ ordinal: count(), task: taskView }));
