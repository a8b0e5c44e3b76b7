import {
  amount,
  anyObject,
  choice,
  closed,
  constant,
  count,
  flag,
  integer,
  list,
  name,
  open,
  plain,
  published,
  set,
  text,
  type Wire,
} from '../schema/build.js';
import {
  agentModelClass,
  budgetScope,
  deploymentState,
  evalModes,
  invocationSource,
  signalKind,
  toolSource,
  verbosity,
} from './parts.js';

const supported = { supported: flag('Whether this host does it.') };

const limits = closed(
  {
    clarificationRounds: count('The most rounds of questions in one turn.'),
    schemaRounds: count('The most attempts at an answer that fits its schema.'),
    envelopesPerTurn: count('The most envelopes of one turn.'),
  },
  {
    maxNodeExecutions: integer('The most nodes of one run.', { minimum: 1 }),
    maxRunDurationMs: integer('The longest run, in milliseconds.', { minimum: 1000 }),
    maxLoopIterations: integer('The most turns of an orchestrator.', { minimum: 1 }),
    maxBudgetTokens: integer('The most tokens of one run.', { minimum: 1 }),
    maxBudgetCostUsd: amount('The most one run may cost, in US dollars.'),
    maxRequestBodyBytes: integer('The largest request, in bytes.', { minimum: 1 }),
  },
  { description: 'Limits that this host enforces.' },
);

const manifestRuntime = closed(supported, {
  handoffValidation: flag('Whether tasks and answers are held against the schemas of the agent.', {
    default: false,
  }),
  installScope: choice(['host', 'tenant'], 'Whether agents belong to the host or to a tenant.', {
    default: 'host',
  }),
});

const liveRuntime = closed(supported, {
  structuredOutput: flag('Whether an answer must fit the return schema.'),
  confidenceEscalation: flag('Whether unsure answers are escalated.'),
  sources: set(invocationSource(), 'Where an invocation can come from.'),
});

const evalSuite = closed(supported, {
  modes: evalModes('The modes this host runs; none when absent.'),
  maxTasksPerSuite: integer('The largest suite.', { minimum: 1 }),
  maxCostUsdPerSuite: amount('The most one eval run may cost, in US dollars.'),
});

const deployment = closed(supported, {
  channels: set(name(), 'The channels.'),
  canary: flag('Whether a version can take part of the traffic.'),
  rollback: flag('Whether a version can be taken back.'),
  states: set(deploymentState('A state.'), 'The states a version can be in.'),
});

/** Open, like the root: the protocol knows more members than this host will ever offer. */
const agents = open(
  {},
  {
    supported: flag('Whether runs know agents at all.'),
    modelClasses: set(agentModelClass(), 'Model classes that can be installed.'),
    memoryBackends: set(choice(['long-term']), 'Kinds of lasting memory.'),
    reasoning: closed(
      {},
      {
        verbosity: verbosity('How much reasoning is recorded.'),
        tokenLimit: count('The most tokens of it.'),
        streaming: flag('Whether it comes in pieces.', { default: false }),
      },
    ),
    manifestRuntime,
    liveRuntime,
    evalSuite,
    deployment,
  },
  { description: 'What this host does with agents.' },
);

const authorization = closed(supported, {
  failClosed: constant(true),
  roles: list(
    closed({ role: name('The role.'), scopes: set(name(), 'What it may do.') }),
    'The roles and what they may do.',
  ),
});

const budget = closed(supported, {
  dimensions: set(choice(['tokens', 'cost', 'toolCalls', 'retries', 'model']), 'What is counted.'),
  enforce: choice(['hard', 'advisory'], 'Whether a limit stops the run.'),
  scopes: set(budgetScope(), 'What a limit can be set for.'),
});

export const capabilities = open(
  {
    protocolVersion: name('The newest protocol version this host speaks.'),
    supportedEnvelopes: list(name(), 'Envelope types it understands.'),
    schemaVersions: plain<{ [schema: string]: number }>({
      description: 'Versions of single schemas.',
      type: 'object',
      additionalProperties: count(),
    }),
    limits,
  },
  {
    extensions: anyObject('What vendors add.'),
    implementation: closed(
      {},
      { name: text('Its name.'), version: text('Its version.'), vendor: text('Who made it.') },
      { description: 'The program behind this host.' },
    ),
    engineVersion: count('Version of the engine.'),
    eventLogSchemaVersion: count('Version of the event log.'),
    supportedTransports: list(choice(['rest', 'mcp', 'a2a', 'grpc']), 'How it can be reached.'),
    configurable: anyObject('The run options it reads.'),
    minClientVersion: text('The oldest client that works.'),
    runtimeCapabilities: set(name(), 'What its nodes can rely on.'),
    fixtures: set(name(), 'Workflows that are always there, for tests.'),
    agents,
    providerUsage: closed(supported, {
      costEstimates: flag('Whether calls carry a price.'),
      currency: text('The currency of the price.', { pattern: '^[A-Z]{3}$' }),
    }),
    feedback: closed(supported, {
      targets: set(choice(['run', 'event', 'node']), 'What can be annotated.'),
      signals: set(signalKind(), 'How.'),
    }),
    authorization,
    budget,
    toolCatalog: closed(supported, {
      sources: set(toolSource(), 'Where its tools come from.'),
      sessionLifecycle: flag('Whether tool sessions leave events.'),
    }),
    toolHooks: closed(supported, {
      prePostEvents: flag('Whether calls carry digest, status and duration.'),
      perToolAuthorization: flag('Whether each tool has its own scope.'),
      perToolRateLimit: flag('Whether each tool has its own rate.'),
    }),
    webhooks: open(
      {},
      {
        ...supported,
        signatureAlgorithms: set(text(), 'How deliveries are signed.'),
        durable: flag('Whether deliveries survive a restart.'),
      },
    ),
    nondeterminismPolicy: closed({ declared: flag('Whether runs may differ from each other.') }),
  },
  published('capabilities', 'Capabilities', 'What this host offers: only what it really does.'),
);
/** Answer of `GET /.well-known/openwop`: what this host does, and nothing that it does not. */
export type CapabilitiesWire = Wire<typeof capabilities>;
