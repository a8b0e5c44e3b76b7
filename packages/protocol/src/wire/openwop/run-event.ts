import { choice, count, open, plain, published, text, timestamp, type Wire } from '../schema/build.js';

/** Every event type the protocol lists, by family. This host writes some of them and understands the rest. */
const FAMILIES = {
  run: [
    ...['started', 'completed', 'failed', 'cancelled', 'resuming', 'paused', 'resumed'],
    ...['restored-from-snapshot', 'dead_lettered'],
  ],
  node: [
    ...['started', 'completed', 'failed', 'suspended', 'suspend-failed', 'resumed'],
    ...['retried', 'skipped', 'cancelled', 'dispatched'],
  ],
  approval: ['requested', 'received', 'granted', 'rejected', 'overridden'],
  clarification: ['requested', 'resolved'],
  interrupt: ['requested', 'resolved'],
  channel: ['written'],
  artifact: ['created'],
  output: ['chunk'],
  variable: ['changed'],
  log: ['appended'],
  version: ['pinned'],
  workflow: ['restored', 'loopback-limit', 'stalled'],
  cap: ['breached'],
  lease: ['acquired', 'renewed', 'lost', 'handed-off'],
  replay: ['diverged', 'divergedAtRefusal'],
  agent: [
    ...['reasoned', 'reasoning.delta', 'promptResolved', 'toolCalled', 'toolReturned', 'handoff', 'decided'],
    ...['verified', 'invocation.started', 'invocation.completed', 'memory.consolidated'],
  ],
  provider: ['usage'],
  prompt: ['composed'],
  model: ['capability.substituted', 'capability.insufficient'],
  envelope: [
    ...['retry.attempted', 'retry.exhausted', 'refusal', 'truncated'],
    ...['nlToFormat.engaged', 'recovery.applied'],
  ],
  eval: ['started', 'scored', 'completed'],
  deployment: ['promoted', 'rolled-back', 'canary.adjusted', 'state.changed'],
  roster: ['run.initiated'],
  tool: ['session.opened', 'session.closed'],
  egress: ['decided'],
  trigger: ['subscription.state.changed', 'delivery.attempted'],
  budget: ['reserved', 'consumed', 'threshold.crossed', 'exhausted'],
  runOrchestrator: ['decided'],
  conversation: ['opened', 'exchanged', 'closed'],
  memory: ['compacted', 'written'],
  commitment: ['fired'],
  workspace: ['updated'],
  core: ['workflowChain.event', 'workflowChain.confidence-escalated'],
  connector: ['authorized', 'auth_expired'],
  authorization: ['decided'],
  proposal: ['created', 'activated'],
  goal: ['evaluated', 'closed'],
  import: ['applied'],
  voice: [
    ...['speech_start', 'transcript', 'endpoint_candidate', 'turn_commit'],
    ...['synthesis_chunk', 'barge_in', 'cancelled'],
  ],
};
const TYPES = Object.entries(FAMILIES).flatMap(([family, facts]) => facts.map((fact) => `${family}.${fact}`));

/** Anyone may add events under a name of their own, outside the protocol's reserved first words. */
const VENDOR_TYPE =
  '^(?!(?:openwop|core|community|vendor|private|local)\\.)[a-z][a-zA-Z0-9_-]*(\\.[a-zA-Z0-9_-]+)+$';

const id = (description: string) => text(description, { minLength: 1, maxLength: 128 });

/** The protocol's schema of an event. Open: a newer host may add members. */
export const runEvent = open(
  {
    /** Unique across runs. On this host `<runId>:<sequence>`; clients treat it as opaque. */
    eventId: id('The name of this event; opaque and unique.'),
    /** The run whose log it belongs to. */
    runId: id('The run it happened in.'),
    /** A type of the protocol, or of a vendor outside the reserved first words. */
    type: plain<string>({
      description: 'What happened.',
      anyOf: [{ $ref: '#/$defs/RunEventType' }, text('A type of a vendor.', { pattern: VENDOR_TYPE })],
    }),
    /** `run-event-payloads` has the schema of each type that this host writes. */
    payload: plain<unknown>({
      description: 'The facts; their shape follows from the type.',
      type: ['object', 'array', 'string', 'number', 'boolean', 'null'],
    }),
    /** When it happened. Only the sequence orders events. ISO 8601. Two events may have the same time. */
    timestamp: timestamp('When it happened. Only the sequence orders events.'),
    /** What `Last-Event-ID` and `lastSequence` refer to. */
    sequence: count('Its place in the run, from 0, without gaps.'),
  },
  {
    /** The node it belongs to; in an eval run, the task. Absent for events of the whole run. */
    nodeId: id('The node it belongs to; in an eval run, the task.'),
    /** Version of the payload shapes. 1 on this host. */
    schemaVersion: count('Version of the payload shapes.'),
    /** The engine that wrote the event, as `engineVersion` of the discovery document. */
    engineVersion: text('Version of the engine that wrote it.'),
    /** The event that this one follows from, an `eventId` of the same run; absent when it follows from none. */
    causationId: id('The event that this one follows from.'),
  },
  {
    ...published('run-event', 'RunEventDoc', 'One numbered fact about a run.'),
    $defs: { RunEventType: choice(TYPES) },
  },
);
/** One event, as streams and polls send it. */
export type RunEventWire = Wire<typeof runEvent>;
