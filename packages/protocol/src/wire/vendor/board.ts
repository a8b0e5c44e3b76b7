// All agents with what serves and what waits for people, and what the host would decide about a move. Ids, numbers and flags alone.

import { CHANNELS, DEPLOYMENT_STATES } from '../../model/deployment.js';
import type {
  AgentId,
  ChannelName,
  Digest,
  GateId,
  PrincipalId,
  RunId,
  Timestamp,
  Version,
} from '../../model/ids.js';
import {
  choice,
  closed,
  count,
  flag,
  fraction,
  id,
  integer,
  list,
  mark,
  number,
  text,
  type Wire,
} from '../schema/build.js';
import { change, interval, page } from './parts.js';

const percent = number('Of the runs of the channel.', { minimum: 0, maximum: 100 });
const state = choice(DEPLOYMENT_STATES);

const boardVersion = closed(
  {
    /** The version, as the agent's author wrote it. */
    version: id<Version>(),
    /** How far it has come. */
    state,
  },
  {
    /** The share that it was given; absent when it was given all. */
    canaryPercent: integer(undefined, { minimum: 0, maximum: 100 }),
    /** The channels that lead to it. */
    channels: list(id<ChannelName>()),
    /** The version that took over when it was rolled back. */
    rollbackPointer: id<Version>(),
    /** The eval run that was the proof for its last step. */
    evalRunId: id<RunId>(),
    /** The gate whose approval its last step needed. */
    approvalGateId: id<GateId>(),
    /** Of the agent as it was when it last moved forward; absent while it has not moved. */
    digest: id<Digest>(),
    /** Since when it has been in its state; absent when it has not moved, or moved before hosts wrote that down. */
    since: id<Timestamp>(),
  },
);
/** A version of an agent, and how far it has come. */
export type BoardVersion = Wire<typeof boardVersion>;

const boardChannel = closed({
  /** Its name. */
  name: choice(CHANNELS),
  /** The versions that serve on it, the newest first; empty when none does. */
  line: list(
    closed({
      /** The version. */
      version: id<Version>(),
      /** The part of the channel's runs that it gets. */
      percent,
    }),
  ),
});
/** What serves under a name. */
export type BoardChannel = Wire<typeof boardChannel>;

const pendingMove = closed(
  {
    /** The run that asks people, and then moves the version. */
    runId: id<RunId>(),
    /** The version that is to move. */
    version: id<Version>(),
    /** Where to. */
    to: state,
    /** Who asked for it. */
    by: id<PrincipalId>(),
    /** When. */
    at: id<Timestamp>(),
    /** The gate that asks. */
    gateId: id<GateId>(),
    /** People who have granted it in the present round. */
    granted: count(),
    /** How many have to. */
    quorum: count(),
  },
  {
    /** After this moment the answer is no. */
    until: id<Timestamp>(),
  },
);
/** A move that waits for people. */
export type PendingMove = Wire<typeof pendingMove>;

const boardAgent = closed({
  /** The agent. */
  agentId: id<AgentId>(),
  /** Counts the moves of its versions. */
  revision: count(),
  /** All versions, by version. */
  versions: list(boardVersion),
  /** What serves. */
  channels: list(boardChannel),
  /** Moves that wait for people, the newest first; of the newest 200 runs that wait. */
  pending: list(pendingMove),
});
/** An agent: its versions, what serves, and what waits for people. */
export type BoardAgent = Wire<typeof boardAgent>;
/** Answer of `GET …/deployments`. */
export const deploymentBoard = page(boardAgent);

const reason = text('A code, as in an answer with eval_gate_unmet.');
const sentence = text('Why, and what to do, for people.');

const requiredEvidence = closed(
  {
    /** The suite that has to be run. */
    suite: text(),
    /** Whether the run that was named is proof enough. */
    met: flag(),
  },
  {
    /** The least mean score: the gate's own, or the bar of the suite as it was in the run. */
    required: fraction(),
    /** Why the run is no proof. */
    reason,
    /** The same for people, and what to do. */
    message: sentence,
    /** The run that was named. */
    runId: id<RunId>(),
    /** Its mean score. */
    score: fraction(),
    /** Where the score could as well lie. */
    interval,
    /** When the run ended. */
    endedAt: id<Timestamp>(),
    /** How long ago it may have ended. */
    maxAgeHours: number(),
    /** It must be no worse than what serves. */
    noRegression: mark(),
    /** How it compares with each version that it would stand in for. */
    compared: list(
      closed(
        {
          /** The version that serves. */
          version: id<Version>(),
          /** The difference of the mean scores; negative is worse. */
          change: change(),
        },
        {
          /** How likely such a difference is by chance. */
          p: fraction(),
        },
      ),
    ),
  },
);

const requiredApproval = closed(
  {
    /** Grants of so many different people. */
    quorum: count(),
    /** The principal who asks may not grant. */
    excludeRequester: flag(),
    /** Whether the caller could grant it after asking for it. */
    youMay: flag(),
  },
  {
    /** Only people with this role may grant. */
    role: text(),
    /** Only people with this scope may grant. */
    scope: text(),
    /** Silence for this long is a no. */
    timeoutSec: number(),
  },
);

const gateReview = closed(
  {
    /** The gate. */
    gateId: id<GateId>(),
    /** The state that it guards. */
    to: state,
  },
  {
    /** What an eval run has to show; absent when it asks for none. */
    evidence: requiredEvidence,
    /** Who has to agree; absent when it asks nobody. */
    approval: requiredApproval,
  },
);
/** A gate on the way of a move, and what it would say now. */
export type GateReview = Wire<typeof gateReview>;

/** Answer of `GET …/agents/{agentId}/gates`. */
export const moveReview = closed(
  {
    /** Whether the caller may ask for it. */
    move: closed(
      {
        /** Whether the caller has the scope. */
        allowed: flag(),
        /** The scope that it takes. */
        scope: text(),
      },
      {
        /** Why the move is not possible at all. */
        issue: text(),
      },
    ),
    /** The states on the way, the last one included. */
    steps: list(state),
    /** All gates on the way. */
    gates: list(gateReview),
    /** Eval runs of the version that every gate on the way takes as proof, newest first. Of its newest runs only. */
    fits: list(id<RunId>()),
  },
  {
    /** Why the host would refuse the run that was named, or that none was. */
    unmet: closed({ reason, message: sentence }),
    /** What would serve afterwards; absent when the move is not possible. */
    after: closed({ state, channels: list(boardChannel) }),
  },
);
/** What the host would decide about a move if it were asked for now. */
export type MoveReview = Wire<typeof moveReview>;
