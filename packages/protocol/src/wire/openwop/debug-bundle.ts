import type { Static, TSchema } from 'typebox';
import {
  amount,
  anyObject,
  anything,
  choice,
  closed,
  count,
  flag,
  list,
  name,
  nothing,
  open,
  plain,
  published,
  text,
  timestamp,
  type Wire,
} from '../schema/build.js';

/** A member that the protocol allows to be `null`. */
const orNull = <S extends TSchema>(schema: S, description?: string) =>
  plain<Static<S> | null>({ ...(description && { description }), oneOf: [schema, nothing()] });

// Not the statuses of a run: the protocol's bundle has a list of its own.
const BUNDLE_STATUSES = [
  'pending',
  'running',
  'completed',
  'failed',
  'cancelled',
  'waiting-approval',
  'waiting-clarification',
] as const;

/** The program that made the bundle. */
const host = closed(
  {
    /** The program's name, e.g. `touchstone`. */
    name: name('Its name.'),
    /** The program's release. */
    version: name('Its version.'),
  },
  {
    /** Who publishes the program. */
    vendor: text('Who made it.'),
  },
  { description: 'The host that made the bundle.' },
);

/** The run's snapshot at the time of the bundle. Open: a host may add members. */
const run = open(
  {
    /** The id of the run. */
    runId: name('The run.'),
    /** The suite of an eval run, the agent of an agent run, or a workflow. */
    workflowId: name('What it executed.'),
    /** In the words of the bundle format, which lacks some statuses of a snapshot. */
    status: choice(BUNDLE_STATUSES, 'Where it stood.'),
  },
  {
    /** When it started. When the run left `pending`, ISO 8601; absent while it has not. */
    startedAt: timestamp('When it started.'),
    /** When it ended. ISO 8601; `null` or absent while the run goes on. */
    endedAt: orNull(timestamp(), 'When it ended.'),
    /** `null` or absent unless the run failed. */
    error: orNull(
      open(
        {
          /** Why the run failed, for programs: one of `RUN_ERROR_CODES`. */
          code: name('For programs.'),
        },
        {
          /** The same in a sentence for people; it quotes no content. */
          message: text('For people.'),
        },
      ),
      'Why it failed.',
    ),
    /** What the caller sent along with the run, secrets masked. */
    inputs: anyObject('What it was given.'),
    /** Values of a workflow; absent for other runs. */
    variables: anyObject('Its values.'),
    /** The node that waits for an answer; `null` or absent when none does. */
    currentNodeId: orNull(text(), 'Where it waited.'),
    /** By node id, what the node came to. */
    nodeStates: anyObject('Its nodes.'),
    /** Totals of the run, in the shape of a snapshot's `metrics`. */
    metrics: anyObject('Its totals.'),
  },
  { description: 'The run, in short.' },
);

/** One event of the log. All members are optional, so that bundles of older hosts stay readable. */
const event = open(
  {},
  {
    /** Its place in the log, from 0. */
    sequence: orNull(count(), 'Its place in the run.'),
    /** The older name of `sequence`. */
    seq: orNull(count(), 'The same, by its older name.'),
    /** The event type, e.g. `eval.scored`. */
    type: name('What happened.'),
    /** When it happened, ISO 8601. */
    timestamp: timestamp('When.'),
    /** The node it belongs to, in an eval run the task; `null` or absent when it belongs to none. */
    nodeId: orNull(text(), 'Where.'),
    /** The payload, secrets masked. */
    data: anything('The facts.'),
  },
);

/** A stretch of time, for hosts that trace; this host writes none. */
const span = open(
  {
    /** What was measured. */
    name: name('What was measured.'),
  },
  {
    /** Its id. Unique in the bundle. */
    spanId: text('Its id.'),
    /** The span that contains this one; `null` or absent for a root. */
    parentSpanId: orNull(text(), 'The span around it.'),
    /** When it began. ISO 8601. */
    startedAt: timestamp('When it began.'),
    /** When it ended. ISO 8601; `null` while it goes on. */
    endedAt: orNull(timestamp(), 'When it ended.'),
    /** Further facts, by name. */
    attributes: anyObject('Further facts.'),
  },
);

/** Known cost of the run. An absent member is unknown, not zero. */
const cost = open(
  {},
  {
    /** Known cost of the run, in US dollars. */
    usd: amount('In US dollars.'),
    /** Tokens of all model calls. */
    tokens: closed(
      {},
      {
        /** Tokens that models read. */
        input: count('Tokens read.'),
        /** Tokens that models wrote. */
        output: count('Tokens written.'),
      },
    ),
    /** The model, as its provider calls it. */
    model: text('The model.'),
    /** The configured provider of that model. */
    provider: text('The provider.'),
    /** Time inside model calls, added up, in milliseconds. */
    duration_ms: amount('Time spent in model calls, in milliseconds.'),
  },
);

/** Totals of the bundle. */
const metrics = open(
  {},
  {
    /** What the run cost; `null` or absent when no cost is known. */
    openwopCost: orNull(cost, 'What the run cost.'),
    /** Nodes that the run executed. */
    nodeCount: count('How many nodes.'),
    /** Events in this bundle; fewer than in the log when `truncated`. */
    eventCount: count('How many events the bundle holds.'),
  },
  { description: 'Totals.' },
);

/** The protocol's schema of a run in one document, made for bug reports. */
export const debugBundle = open(
  {
    /** `1.0` here; the format's version, not the host's. */
    bundleVersion: text('Version of this format.', { pattern: '^[0-9]+\\.[0-9]+$' }),
    /** When it was made. ISO 8601. */
    generatedAt: timestamp('When it was made.'),
    /** The program that made the bundle. */
    host,
    /** The run in short. */
    run,
    /** In order of their sequence. The newest may be missing when `truncated`. */
    events: list(event, 'The log of the run.'),
    /** Whether known secrets were replaced. This host always does it. */
    redactionApplied: flag('Whether secrets were taken out.'),
    /** What stands in place of a secret. This host: `mask`. */
    redactionMode: choice(['mask', 'omit', 'hash', 'passthrough'], 'How.'),
  },
  {
    /** Where the time went; absent on this host. */
    spans: list(span, 'Where the time went.'),
    /** Totals of the run. */
    metrics,
    /** Whether the size limit left something out; absent when nothing is missing. */
    truncated: flag('Whether something was left out for size.'),
    /** What was left out, in a sentence. */
    truncatedReason: text('Why it was.'),
  },
  published('debug-bundle', 'RunDebugBundle', 'A run in one file, for a bug report.'),
);
/** Answer of `GET /v1/runs/{runId}/debug-bundle`: a run to hand to another person, secrets taken out. */
export type DebugBundleWire = Wire<typeof debugBundle>;
