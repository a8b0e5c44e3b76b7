import {
  amount,
  anyObject,
  anything,
  choice,
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

const durationMs = () => count('How long it took, in milliseconds.');

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

export const runPayloads = {
  'run.started': open(
    { workflowId: name('What is executed.') },
    {
      inputs: inputs(),
      transport: choice(['rest', 'mcp', 'a2a', 'ui'], 'How the request came.'),
      engineVersion: text('The engine.'),
      owner: owner('Whose run it is.'),
      tags: list(text(), 'The tags of the caller.'),
      metadata: anyObject('The metadata of the caller.'),
    },
  ),
  'run.completed': open({}, { outputs: outputs(), durationMs: durationMs() }),
  'run.failed': open({ error: error('Why.') }, { failedNodeId: text('Where.'), durationMs: durationMs() }),
  'run.cancelled': open(
    {},
    {
      reason: text('Why.'),
      cancelledBy: text('By whom.'),
      durationMs: durationMs(),
      parentRunId: name('The run whose end took this one along.'),
    },
  ),
  'run.paused': open({}, { reason: text('Why.') }),
  'run.resumed': anyObject(undefined, { additionalProperties: true }),
  'node.started': open(
    { nodeId: name('The node.'), typeId: name('What sort of node.') },
    { attempt: count('Which attempt, from 0.') },
  ),
  'node.completed': open({ nodeId: name('The node.') }, { outputs: outputs(), durationMs: durationMs() }),
  'node.failed': open(
    { nodeId: name('The node.'), error: error('Why.') },
    { attempts: integer('How often it was tried.', { minimum: 1 }) },
  ),
  'node.suspended': open(
    { nodeId: name('The node that waits.'), interruptId: name('The interrupt.') },
    { kind: interruptKind('What is asked for.'), key: name('The key under which it is answered once.') },
  ),
  'approval.received': open(
    {
      nodeId: text('The node that waited.'),
      action: choice(['accept', 'reject', 'refine', 'edit-accept', 'timeout'], 'What was decided.'),
    },
    {
      decidedBy: text('By whom: an opaque id.'),
      decidedAt: text('When, as ISO 8601.'),
      comment: text('What was said about it.'),
      feedback: text('Older form of what was said about it.'),
      refineFeedback: open(
        { scope: choice(['whole', 'section', 'items'], 'How much is to be refined.') },
        {
          sectionPath: text('Which section.'),
          itemIds: list(text(), 'Which items.'),
          tags: list(text(), 'Words for it.'),
          text: text('What is to be done.'),
        },
      ),
      editedArtifactData: anything('What it was edited to.'),
    },
  ),
  'clarification.resolved': open(
    { nodeId: text('The node that waited.'), answers: anyObject('The answers, by question.') },
    { answeredBy: text('By whom.') },
  ),
  'interrupt.requested': ref<typeof suspendRequest>(
    'https://openwop.dev/spec/v1/suspend-request.schema.json',
  ),
  'interrupt.resolved': open(
    { nodeId: text('The node that waited.'), interruptId: text('The interrupt.') },
    { kind: interruptKind('What was asked for.'), resumeValue: anything('The answer.') },
  ),
  'cap.breached': open(
    {
      kind: choice(CAPS, 'Which limit.'),
      limit: amount('The limit.'),
      observed: amount('What was seen instead.'),
    },
    { nodeId: text('Where.') },
  ),
  'memory.written': open(
    { memoryRef: name('Which memory.'), memoryId: name('Which entry.') },
    {
      nodeId: name('By which node.'),
      agentId: name('By which agent.'),
      tags: list(text(), 'The tags of the entry.'),
    },
  ),
  'replay.diverged': open(
    { sourceRunId: name('The run that is replayed.'), atSequence: count('Where the two part.') },
    {
      originalEventId: text('The event of the source run.'),
      divergenceKind: choice(['output', 'missing', 'extra', 'type-mismatch'], 'How they differ.'),
      divergencePoint: text('Where inside the event.'),
    },
  ),
};
