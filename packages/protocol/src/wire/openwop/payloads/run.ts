import {
  amount,
  anyObject,
  anything,
  choice,
  closed,
  count,
  integer,
  list,
  name,
  open,
  ref,
  text,
} from '../../schema/build.js';
import { interruptKind, owner } from '../parts.js';
import type { suspendRequest } from '../suspend-request.js';
import { error, inputs, outputs } from './shared.js';

/** A duration in milliseconds. */
const durationMs = () => count('How long it took, in milliseconds.');

/** The protocol's limits. This host writes `run-duration` and `budget-cost`. */
const CAPS = [
  'clarification',
  'schema',
  'envelopes',
  'node-executions',
  'wasm-memory',
  'wasm-fuel',
  'wasm-execution-time',
  'run-duration',
  'loop-iterations',
  'budget-tokens',
  'budget-cost',
  'budget-tool-calls',
  'budget-retries',
] as const;

/** Payloads of the events of runs, nodes, questions and memory. */
export const runPayloads = {
  /** The first event of a log. */
  'run.started': open(
    {
      /** The suite's id of an eval run, the agent's id of an agent run, or the id of a workflow. */
      workflowId: name('What is executed.'),
    },
    {
      /** What the caller sent along. Content. Absent when nothing was sent. */
      inputs: inputs(),
      /** How the request came. Always `rest` on this host. */
      transport: choice(['rest', 'mcp', 'a2a', 'ui'], 'How the request came.'),
      /** The version of the engine that started the run. */
      engineVersion: text('The engine.'),
      /** Tenant and workspace of the run, and the principal who created it. */
      owner: owner('Whose run it is.'),
      /** The tags of the request; absent when it had none. */
      tags: list(text(), 'The tags of the caller.'),
      /** The metadata of the request; absent when it had none. */
      metadata: anyObject('The metadata of the caller.'),
    },
  ),
  /** Ends the log of a run that was carried out, whatever its score. */
  'run.completed': open(
    {},
    {
      /** The summary of an eval run, or what the agent or workflow returned. */
      outputs: outputs(),
      /** From start to end of the run, pauses included. */
      durationMs: durationMs(),
    },
  ),
  /** Ends the log of a run that could not be carried out. */
  'run.failed': open(
    {
      /** The code is one of `RUN_ERROR_CODES`. */
      error: error('Why.'),
    },
    {
      /** The node that failed; absent when the cause is no single node. */
      failedNodeId: text('Where.'),
      /** From start to end of the run, pauses included. */
      durationMs: durationMs(),
    },
  ),
  /** Ends the log of a run that a caller stopped. */
  'run.cancelled': open(
    {},
    {
      /** Why, in the caller's words; absent when none were given. */
      reason: text('Why.'),
      /** The principal who cancelled it. */
      cancelledBy: text('By whom.'),
      /** From start to end of the run, pauses included. */
      durationMs: durationMs(),
      /** The run whose cancellation included this one; absent when this one was cancelled itself. */
      parentRunId: name('The run whose end took this one along.'),
    },
  ),
  /** No task starts until `run.resumed`. */
  'run.paused': open(
    {},
    {
      /** Why, in the caller's words; absent when none were given. */
      reason: text('Why.'),
    },
  ),
  /** Tasks start again. */
  'run.resumed': anyObject(undefined, { additionalProperties: true }),
  /** A node of a workflow begins. */
  'node.started': open(
    {
      /** The node's id in its workflow. */
      nodeId: name('The node.'),
      /** The type of the node. */
      typeId: name('What sort of node.'),
    },
    {
      /** Counts from 0; absent when there is no retry. */
      attempt: count('Which attempt, from 0.'),
    },
  ),
  /** A node of a workflow is done. */
  'node.completed': open(
    {
      /** The node that is done. */
      nodeId: name('The node.'),
    },
    {
      /** What it returned. Content. */
      outputs: outputs(),
      /** How long the node took. */
      durationMs: durationMs(),
    },
  ),
  /** A node of a workflow has started another run. */
  'node.dispatched': closed(
    {
      /** The run that was started. */
      childRunId: name('The run that was started.'),
      /** Its workflow. */
      childWorkflowId: name('Its workflow.'),
    },
    {
      /** Its status when the event was written. */
      childStatus: text('How it stood.'),
    },
  ),
  /** A node of a workflow failed. */
  'node.failed': open(
    {
      /** The node that failed. */
      nodeId: name('The node.'),
      /** A code for programs and a sentence for people. */
      error: error('Why.'),
    },
    {
      /** How often the node was tried, at least 1. */
      attempts: integer('How often it was tried.', { minimum: 1 }),
    },
  ),
  /** A node waits for an answer. */
  'node.suspended': open(
    {
      /** The node that waits. */
      nodeId: name('The node that waits.'),
      /** Names the question: a node may ask again. */
      interruptId: name('The interrupt.'),
    },
    {
      /** What the node waits for. */
      kind: interruptKind('What is asked for.'),
      /** The question's name within its node; the same key is the same question. */
      key: name('The key under which it is answered once.'),
    },
  ),
  /** What an approval came to. */
  'approval.received': open(
    {
      /** The node that waited. */
      nodeId: text('The node that waited.'),
      /** What was decided. This host: `accept`, `reject` or `timeout`. */
      action: choice(['accept', 'reject', 'refine', 'edit-accept', 'timeout'], 'What was decided.'),
    },
    {
      /** The principal whose answer decided; absent after a timeout. */
      decidedBy: text('By whom: an opaque id.'),
      /** When it was decided, ISO 8601. */
      decidedAt: text('When, as ISO 8601.'),
      /** Why, in the approver's words; absent when none were given. */
      comment: text('What was said about it.'),
      /** An older name of `comment`. */
      feedback: text('Older form of what was said about it.'),
      /** What to change, when `action` is `refine`. Absent on this host. */
      refineFeedback: open(
        {
          /** How much of the artifact is to be refined. */
          scope: choice(['whole', 'section', 'items'], 'How much is to be refined.'),
        },
        {
          /** The section, when `scope` is `section`. */
          sectionPath: text('Which section.'),
          /** The items, when `scope` is `items`. */
          itemIds: list(text(), 'Which items.'),
          /** Words that classify the request. */
          tags: list(text(), 'Words for it.'),
          /** The request in words. */
          text: text('What is to be done.'),
        },
      ),
      /** The artifact as the approver changed it. Absent on this host. */
      editedArtifactData: anything('What it was edited to.'),
    },
  ),
  /** What people answered to a question in words. */
  'clarification.resolved': open(
    {
      /** The node that asked. */
      nodeId: text('The node that waited.'),
      /** The answers, by the id of the question. Content. */
      answers: anyObject('The answers, by question.'),
    },
    {
      /** The principal who answered, as an opaque id. */
      answeredBy: text('By whom.'),
    },
  ),
  /** The question that suspends the run. */
  'interrupt.requested': ref<typeof suspendRequest>(
    'https://openwop.dev/spec/v1/suspend-request.schema.json',
  ),
  /** The answer that counted. */
  'interrupt.resolved': open(
    {
      /** The node that asked. */
      nodeId: text('The node that waited.'),
      /** The question, as in `node.suspended`. */
      interruptId: text('The interrupt.'),
    },
    {
      /** What was asked for. */
      kind: interruptKind('What was asked for.'),
      /** The answer as it was sent. Content. */
      resumeValue: anything('The answer.'),
    },
  ),
  /** A limit of the run was reached; `run.failed` follows. */
  'cap.breached': open(
    {
      /** Which limit. */
      kind: choice(CAPS, 'Which limit.'),
      /** The limit, in milliseconds, US dollars or a count, as its kind says. */
      limit: amount('The limit.'),
      /** What was reached, in the same unit. */
      observed: amount('What was seen instead.'),
    },
    {
      /** The node at work; absent for limits of the whole run. */
      nodeId: text('Where.'),
    },
  ),
  /** The agent stored a memory entry. The entry itself is not in the event. */
  'memory.written': open(
    {
      /** The memory, as `long-term:<agentId>` on this host. */
      memoryRef: name('Which memory.'),
      /** The entry's id in that memory. */
      memoryId: name('Which entry.'),
    },
    {
      /** The node at work; absent on this host. */
      nodeId: name('By which node.'),
      /** The agent that wrote. */
      agentId: name('By which agent.'),
      /** The tags of the entry. */
      tags: list(text(), 'The tags of the entry.'),
    },
  ),
  /** A replay came out differently than it was recorded. */
  'replay.diverged': open(
    {
      /** The run whose history was read again. */
      sourceRunId: name('The run that is replayed.'),
      /** The sequence of the first event that differs. */
      atSequence: count('Where the two part.'),
    },
    {
      /** That event in the source run. */
      originalEventId: text('The event of the source run.'),
      /** What differs. Always `output` on this host. */
      divergenceKind: choice(['output', 'missing', 'extra', 'type-mismatch'], 'How they differ.'),
      /** A JSON pointer into the event; absent on this host. */
      divergencePoint: text('Where inside the event.'),
    },
  ),
};
