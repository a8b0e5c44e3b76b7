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

const host = closed(
  { name: name('Its name.'), version: name('Its version.') },
  { vendor: text('Who made it.') },
  { description: 'The host that made the bundle.' },
);

const run = open(
  {
    runId: name('The run.'),
    workflowId: name('What it executed.'),
    status: choice(BUNDLE_STATUSES, 'Where it stood.'),
  },
  {
    startedAt: timestamp('When it started.'),
    endedAt: orNull(timestamp(), 'When it ended.'),
    error: orNull(open({ code: name('For programs.') }, { message: text('For people.') }), 'Why it failed.'),
    inputs: anyObject('What it was given.'),
    variables: anyObject('Its values.'),
    currentNodeId: orNull(text(), 'Where it waited.'),
    nodeStates: anyObject('Its nodes.'),
    metrics: anyObject('Its totals.'),
  },
  { description: 'The run, in short.' },
);

const event = open(
  {},
  {
    sequence: orNull(count(), 'Its place in the run.'),
    seq: orNull(count(), 'The same, by its older name.'),
    type: name('What happened.'),
    timestamp: timestamp('When.'),
    nodeId: orNull(text(), 'Where.'),
    data: anything('The facts.'),
  },
);

const span = open(
  { name: name('What was measured.') },
  {
    spanId: text('Its id.'),
    parentSpanId: orNull(text(), 'The span around it.'),
    startedAt: timestamp('When it began.'),
    endedAt: orNull(timestamp(), 'When it ended.'),
    attributes: anyObject('Further facts.'),
  },
);

const cost = open(
  {},
  {
    usd: amount('In US dollars.'),
    tokens: closed({}, { input: count('Tokens read.'), output: count('Tokens written.') }),
    model: text('The model.'),
    provider: text('The provider.'),
    duration_ms: amount('Time spent in model calls, in milliseconds.'),
  },
);

const metrics = open(
  {},
  {
    openwopCost: orNull(cost, 'What the run cost.'),
    nodeCount: count('How many nodes.'),
    eventCount: count('How many events the bundle holds.'),
  },
  { description: 'Totals.' },
);

export const debugBundle = open(
  {
    bundleVersion: text('Version of this format.', { pattern: '^[0-9]+\\.[0-9]+$' }),
    generatedAt: timestamp('When it was made.'),
    host,
    run,
    events: list(event, 'The log of the run.'),
    redactionApplied: flag('Whether secrets were taken out.'),
    redactionMode: choice(['mask', 'omit', 'hash', 'passthrough'], 'How.'),
  },
  {
    spans: list(span, 'Where the time went.'),
    metrics,
    truncated: flag('Whether something was left out for size.'),
    truncatedReason: text('Why it was.'),
  },
  published('debug-bundle', 'RunDebugBundle', 'A run in one file, to hand to somebody else.'),
);
/** Answer of `GET /v1/runs/{runId}/debug-bundle`: a run to hand to another person, secrets taken out. */
export type DebugBundleWire = Wire<typeof debugBundle>;
