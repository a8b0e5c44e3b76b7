// Deployments, the questions that their runs ask people, and the audit log that records who decided what.

import type { DeploymentState } from '../../model/deployment.js';
import type {
  AgentId,
  PrincipalId,
  ResourceName,
  RunId,
  ScopeName,
  Timestamp,
  Version,
} from '../../model/ids.js';
import type { RunStatus } from '../../model/status.js';
import {
  choice,
  closed,
  count,
  flag,
  id,
  integer,
  json,
  jsonObject,
  list,
  object,
  plain,
  text,
  type Wire,
} from '../schema/build.js';
import { page } from './parts.js';

/** A word of a list that a newer host may have made longer; the type says what this one knows. */
const word = <Word extends string>() => plain<Word>({ type: 'string' });

/** A deployment's record, and the run that waits for people. */
export const pendingDeployment = object({
  /** The agent. */
  agentId: id<AgentId>(),
  /** The version that is to move. */
  version: id<Version>(),
  /** Where it still is. */
  state: word<DeploymentState>(),
  /** What this host adds to the protocol's record while people are asked. */
  touchstone: closed({
    /** The run that asks people and then moves it. */
    runId: id<RunId>(),
    /** What that run waits for. */
    status: word<RunStatus>(),
  }),
});

const agentVersionEntry = object(
  {
    /** The version, as the agent's author wrote it. */
    version: text(),
  },
  {
    /** Of the agent that the host has under this version now; absent when it has none. */
    digest: text(),
    /** Of the agent that was deployed under this version; absent when none was. */
    deployedDigest: text(),
    /** The digest may not cover all files of the agent's program: its entry lists none, and they cannot all be found. */
    filesNotFollowed: flag(),
  },
);
/** A deployment is bound to the digest of the agent and not only to its version. */
export type AgentVersion = Wire<typeof agentVersionEntry>;
/** Answer of `GET …/agents/{agentId}/versions`. */
export const agentVersions = page(agentVersionEntry);

/** Schema of an answer to a question of a run. */
export const resumeBody = closed({
  /** The answer; what it must look like is in the question's `resumeSchema`. */
  resumeValue: json(),
});

/** What a link is good for: `resolve` answers the question, `inspect` only shows it. */
export const TOKEN_INTENTS = ['resolve', 'inspect'] as const;
/** Seven days, in seconds. */
const MAX_TOKEN_SEC = 7 * 24 * 60 * 60;
/** Schema of the body of `POST …/interrupts/{nodeId}/tokens`. */
export const tokenBody = closed(
  {},
  {
    /** What the link is good for: answering, or looking at the question; answering when absent. */
    intent: choice(TOKEN_INTENTS),
    /** How long it is good for, in seconds; the host's default when absent. */
    expiresInSec: integer(undefined, { minimum: 1, maximum: MAX_TOKEN_SEC }),
  },
);
/** What a caller wants of a new link. */
export type NewInterruptToken = Wire<typeof tokenBody>;

/** Answer to an answer: where the run stands now. */
export const resolvedInterrupt = object({
  /** The run that asked. */
  runId: id<RunId>(),
  /** The node of the run that asked. */
  nodeId: text(),
  /** What the run does now: further answers may be needed. */
  status: word<RunStatus>(),
});
/** That an answer counts, and what the run does now. */
export type ResolvedInterrupt = Wire<typeof resolvedInterrupt>;

/** Answer of `POST …/interrupts/{nodeId}/tokens`. */
export const interruptToken = object({
  /** The secret part of the link. */
  token: text(),
  /** The link; its holder answers in the name of the principal who made it. */
  url: text(),
  /** What the link is good for. */
  intent: word<(typeof TOKEN_INTENTS)[number]>(),
  /** Until when. */
  expiresAt: id<Timestamp>(),
});
/** A link that stands for the principal who made it. */
export type InterruptToken = Wire<typeof interruptToken>;

/** Answer of `GET /v1/interrupts/{token}`. */
export const interruptQuestion = object(
  {
    /** The run that asks. */
    runId: id<RunId>(),
    /** The node of the run that asks. */
    nodeId: text(),
    /** The question's own name: a node may ask again. */
    interruptId: text(),
    /** A decision, or an answer in words. */
    kind: word<'approval' | 'clarification' | 'external-event'>(),
    /** What is asked, for people. */
    data: json(),
    /** What the question is called in the events of the run. */
    key: text(),
    /** When it was asked. */
    requestedAt: id<Timestamp>(),
    /** What the link is good for. */
    intent: word<(typeof TOKEN_INTENTS)[number]>(),
    /** Until when the link is good. */
    expiresAt: id<Timestamp>(),
  },
  {
    /** JSON Schema of the answer; absent when any is taken. */
    resumeSchema: jsonObject(),
    /** After this moment the answer is no; absent when the question waits for as long as it takes. */
    deadline: id<Timestamp>(),
  },
);
/** A question that a run has asked and waits on. */
export type InterruptQuestion = Wire<typeof interruptQuestion>;

/** Answer of `GET /v1/runs/{runId}/artifacts/{artifactId}`. */
export const runArtifact = object(
  {
    /** The run that the artifact belongs to. */
    runId: id<RunId>(),
    /** Its name in the run; for a deployment `<agentId>@<version>`. */
    artifactId: text(),
    /** What sort of thing it is. E.g. `deployment`. */
    artifactType: text(),
  },
  {
    /** One line for people. */
    title: text(),
    /** The thing itself; absent when there is no more to it than its name. */
    artifactData: json(),
  },
);
/** A thing that a run made, or asks people about. */
export type RunArtifact = Wire<typeof runArtifact>;

/** Answer of `GET /v1/audit/verify`. */
export const auditVerdict = object(
  {
    /** Whether every record fits the one before. */
    valid: flag(),
    /** How many records fit, up to the first that does not. */
    records: count(),
    /** The digest of the last record that fits. */
    head: text(),
    /** The first record of the range that was asked about. */
    fromSeq: count(),
    /** The last record of that range. */
    toSeq: count(),
    /** Whether the records of the range hold. */
    chainValid: flag(),
    /** Signed checkpoints of the range, by the record that they cover. */
    checkpoints: list(
      object({
        /** The last record that it covers. */
        seq: count(),
        /** The key that signed it. */
        keyId: text(),
        /** The digest that the record had then. */
        head: text(),
        /** When it was made, ISO 8601. */
        at: text(),
        /** Whether the log still goes through it. */
        holds: flag(),
      }),
    ),
    /** The breaks in the range, oldest first; at most 1,000. */
    anomalies: list(
      object({
        /** The record that does not hold. */
        atSeq: count(),
        /** What was computed from the record, or from the one before it: SHA-256 as hex. */
        expectedPrevHash: text(),
        /** What stands there instead. */
        actualPrevHash: text(),
      }),
    ),
  },
  {
    /** The first record that does not fit, and what is wrong with it; absent when all fit. */
    trouble: object({
      /** Its place in the log. */
      seq: count(),
      /** A record is missing, names another one before it, or was changed. */
      why: word<'gap' | 'previous' | 'digest'>(),
    }),
  },
);
/** Whether an audit log is unbroken. A log that has lost its end is: keep the head elsewhere to notice. */
export type AuditVerdict = Wire<typeof auditVerdict>;

/** Answer of `POST …/audit/checkpoints`, and an entry of the list of them. */
export const auditCheckpoint = closed({
  /** The last record that it covers. */
  seq: count(),
  /** The digest of that record. */
  head: text(),
  /** The key of the host that signed it. */
  keyId: text(),
  /** When it was made, ISO 8601. */
  at: text(),
  /** The DSSE envelope. Keep it where the operator of the host cannot reach it. */
  envelope: jsonObject(),
});
/** What a host has signed of an audit log: its head at one moment. */
export type AuditCheckpoint = Wire<typeof auditCheckpoint>;

const auditRecord = object(
  {
    /** Its place in the log of its owner, from 1 on. */
    seq: count(),
    /** When it happened, ISO 8601. */
    at: text(),
    /** Who asked. */
    principal: id<PrincipalId>(),
    /** What for, as `<area>:<action>`. */
    action: id<ScopeName>(),
    /** What it was about, e.g. `agents/<agentId>@<version>`. */
    resource: id<ResourceName>(),
    /** Whether it was allowed. */
    allowed: flag(),
    /** The digest of the record before. */
    previous: text(),
    /** `sha256:<hex>` of this record and the digest before it. */
    digest: text(),
  },
  {
    /** Why, in a label or in a person's words. */
    reason: text(),
    /** The run that has the details. */
    runId: id<RunId>(),
  },
);
/** One decision: someone asked for something, and was allowed or refused. */
export type AuditListing = Wire<typeof auditRecord>;
/** Answer of `GET …/audit`. */
export const auditPage = page(auditRecord);
