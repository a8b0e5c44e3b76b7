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

/** Every block of the document begins with this flag. A block that is absent is not supported. */
const supported = {
  /** Whether this host does what the block is named after. */
  supported: flag('Whether this host does it.'),
};

/** Limits that the host enforces. An absent optional member sets no limit. */
const limits = closed(
  {
    /** How often an agent may ask the caller back in one turn. */
    clarificationRounds: count('The most rounds of questions in one turn.'),
    /** How often the host asks again for an answer that does not fit its schema. */
    schemaRounds: count('The most attempts at an answer that fits its schema.'),
    /** How many envelopes one turn may bring. */
    envelopesPerTurn: count('The most envelopes of one turn.'),
  },
  {
    /** Nodes that one run may execute. */
    maxNodeExecutions: integer('The most nodes of one run.', { minimum: 1 }),
    /** The longest run, in milliseconds. In milliseconds, pauses left out; at least 1000. */
    maxRunDurationMs: integer('The longest run, in milliseconds.', { minimum: 1000 }),
    /** Turns that an orchestrator may take in one run. */
    maxLoopIterations: integer('The most turns of an orchestrator.', { minimum: 1 }),
    /** Tokens that one run may use, read and written together. */
    maxBudgetTokens: integer('The most tokens of one run.', { minimum: 1 }),
    /** The most one run may cost, in US dollars. In US dollars, per run. */
    maxBudgetCostUsd: amount('The most one run may cost, in US dollars.'),
    /** The largest request, in bytes. In bytes. A larger body is refused with 413 `payload_too_large`. */
    maxRequestBodyBytes: integer('The largest request, in bytes.', { minimum: 1 }),
  },
  { description: 'Limits that this host enforces.' },
);

/** Whether agents from packs can be installed and run. */
const manifestRuntime = closed(supported, {
  /** Whether inputs and answers are checked against the agent's `handoff` schemas; `false` when absent. */
  handoffValidation: flag('Whether tasks and answers are held against the schemas of the agent.', {
    default: false,
  }),
  /** `tenant`: each tenant installs its own agents. `host`: all tenants share them. `host` when absent. */
  installScope: choice(['host', 'tenant'], 'Whether agents belong to the host or to a tenant.', {
    default: 'host',
  }),
});

/** Whether agents run inside ordinary runs (RFC 0077). */
const liveRuntime = closed(supported, {
  /** Whether an answer is checked against the agent's return schema. */
  structuredOutput: flag('Whether an answer must fit the return schema.'),
  /** Whether an answer below the confidence threshold suspends the run. Absent here: it is only recorded. */
  confidenceEscalation: flag('Whether unsure answers are escalated.'),
  /** What can start an invocation. This host: `run-api` only. */
  sources: set(invocationSource(), 'Where an invocation can come from.'),
});

/** Whether `mode: "eval"` is supported (RFC 0081). A host without the block answers 501 to it. */
const evalSuite = closed(supported, {
  /** A run that asks for another mode is refused with 400 `validation_error`. */
  modes: evalModes('The modes this host runs; none when absent.'),
  /** A suite with more tasks is refused when a run is created. */
  maxTasksPerSuite: integer('The largest suite.', { minimum: 1 }),
  /**
   * The most one eval run may cost, in US dollars. In US dollars. The lowest of this and the caller's budget is the
   * ceiling of a run; no ceiling when absent.
   */
  maxCostUsdPerSuite: amount('The most one eval run may cost, in US dollars.'),
});

/** Whether versions of agents can be promoted and rolled back (RFC 0082). */
const deployment = closed(supported, {
  /** Names under which versions serve: `stable`, `canary`, `latest`. */
  channels: set(name(), 'The channels.'),
  /** Whether a version can take a share of a channel's traffic. */
  canary: flag('Whether a version can take part of the traffic.'),
  /** Whether an active version can be replaced by an earlier one. */
  rollback: flag('Whether a version can be taken back.'),
  /** The states of the promotion path that this host knows. */
  states: set(deploymentState('A state.'), 'The states a version can be in.'),
});

/** Open, like the root: the protocol knows more members than this host will ever offer. */
const agents = open(
  {},
  {
    /** Whether runs can name agents at all. */
    supported: flag('Whether runs know agents at all.'),
    /** The protocol's classes of model that can be installed; absent on this host. */
    modelClasses: set(agentModelClass(), 'Model classes that can be installed.'),
    /** The kinds of memory that outlive an invocation. */
    memoryBackends: set(choice(['long-term']), 'Kinds of lasting memory.'),
    /** How much of an agent's reasoning the host records. */
    reasoning: closed(
      {},
      {
        /** The level that applies when a run sets none. */
        verbosity: verbosity('How much reasoning is recorded.'),
        /** Tokens of reasoning that one event may carry. */
        tokenLimit: count('The most tokens of it.'),
        /** Whether reasoning is sent in pieces while it is produced; `false` when absent. */
        streaming: flag('Whether it comes in pieces.', { default: false }),
      },
    ),
    /** Agents from packs. */
    manifestRuntime,
    /** Agents inside runs. */
    liveRuntime,
    /** Evaluation of agents; absent when the operator switched it off with `evalSuite: false`. */
    evalSuite,
    /** Deployments of agent versions. */
    deployment,
  },
  { description: 'What this host does with agents.' },
);

/** Roles and scopes. A request without the needed scope is refused with 403 `forbidden`. */
const authorization = closed(supported, {
  /** What no role allows is refused: always `true`. */
  failClosed: constant(true),
  /** Every role of the host's configuration. */
  roles: list(
    closed({
      /** The name that a key carries. */
      role: name('The role.'),
      /** Scopes as `<area>:<action>`, or `*` for all. */
      scopes: set(name(), 'What it may do.'),
    }),
    'The roles and what they may do.',
  ),
});

/** Limits on what a run may spend. This host writes no budget events and omits the block. */
const budget = closed(supported, {
  /** Quantities that a budget can limit. */
  dimensions: set(choice(['tokens', 'cost', 'toolCalls', 'retries', 'model']), 'What is counted.'),
  /** `hard` ends the run at the limit; `advisory` only reports it. */
  enforce: choice(['hard', 'advisory'], 'Whether a limit stops the run.'),
  /** What a budget can be attached to. */
  scopes: set(budgetScope(), 'What a limit can be set for.'),
});

/** The protocol's schema of the discovery document. */
export const capabilities = open(
  {
    /** The newest protocol version this host speaks. E.g. `1.0`. */
    protocolVersion: name('The newest protocol version this host speaks.'),
    /** Types of envelope that the host can write or read. */
    supportedEnvelopes: list(name(), 'Envelope types it understands.'),
    /** Versions of single schemas, by name; empty when every schema has its first version. */
    schemaVersions: plain<{ [schema: string]: number }>({
      description: 'Versions of single schemas.',
      type: 'object',
      additionalProperties: count(),
    }),
    /** Limits that the host enforces. */
    limits,
  },
  {
    /** Facts that a vendor adds, by vendor name; clients ignore those they do not know. */
    extensions: anyObject('What vendors add.'),
    /** Which program answers, for bug reports; no client should decide by it. */
    implementation: closed(
      {},
      {
        /** The program, e.g. `touchstone`. */
        name: text('Its name.'),
        /** The program's release. */
        version: text('Its version.'),
        /** Who publishes the program. */
        vendor: text('Who made it.'),
      },
      { description: 'The program behind this host.' },
    ),
    /** The version of the rules by which a log is written; every event carries it. */
    engineVersion: count('Version of the engine.'),
    /** The version of the log's format. */
    eventLogSchemaVersion: count('Version of the event log.'),
    /** Ways to reach the host. This host: `rest`. */
    supportedTransports: list(choice(['rest', 'mcp', 'a2a', 'grpc']), 'How it can be reached.'),
    /** Keys of `configurable` that the host reads, with their schemas. */
    configurable: anyObject('The run options it reads.'),
    /** Clients older than this are refused; none is when absent. */
    minClientVersion: text('The oldest client that works.'),
    /** Names that node packs may require. */
    runtimeCapabilities: set(name(), 'What its nodes can rely on.'),
    /** Workflows that conformance tests can start on this host. */
    fixtures: set(name(), 'Workflows that are always there, for tests.'),
    /** What the host does with agents. */
    agents,
    /** Whether model calls leave `provider.usage` events (RFC 0026). */
    providerUsage: closed(supported, {
      /** Whether these events carry a cost when the price is known. */
      costEstimates: flag('Whether calls carry a price.'),
      /** The currency of the price. ISO 4217, e.g. `USD`. */
      currency: text('The currency of the price.', { pattern: '^[A-Z]{3}$' }),
    }),
    /** Whether runs can be annotated (RFC 0056). */
    feedback: closed(supported, {
      /** Parts of a run that an annotation may be about. */
      targets: set(choice(['run', 'event', 'node']), 'What can be annotated.'),
      /** Kinds of annotation that are accepted. */
      signals: set(signalKind(), 'How.'),
    }),
    /** Roles and their scopes. */
    authorization,
    /** Limits on spending. */
    budget,
    /** Whether `GET /v1/tools` lists tools. */
    toolCatalog: closed(supported, {
      /** Origins of the listed tools. */
      sources: set(toolSource(), 'Where its tools come from.'),
      /** Whether `tool.session.*` events are written. */
      sessionLifecycle: flag('Whether tool sessions leave events.'),
    }),
    /** What is known and enforced around each tool call; absent on this host. */
    toolHooks: closed(supported, {
      /** Whether the events of a call carry a digest of its inputs, its status and its duration. */
      prePostEvents: flag('Whether calls carry digest, status and duration.'),
      /** Whether calling a tool takes a scope of that tool. */
      perToolAuthorization: flag('Whether each tool has its own scope.'),
      /** Whether each tool has a rate limit of its own. */
      perToolRateLimit: flag('Whether each tool has its own rate.'),
    }),
    /** Whether events are posted to registered addresses. */
    webhooks: open(
      {},
      {
        ...supported,
        /** Versions of the signature header, e.g. `v1`. */
        signatureAlgorithms: set(text(), 'How deliveries are signed.'),
        /** Whether a delivery that is pending survives a restart of the host. */
        durable: flag('Whether deliveries survive a restart.'),
      },
    ),
    /** Whether the host declares that equal runs may differ. */
    nondeterminismPolicy: closed({
      /**
       * Whether runs may differ from each other. `true` when replays read recorded facts because a second execution
       * could differ.
       */
      declared: flag('Whether runs may differ from each other.'),
    }),
  },
  published('capabilities', 'Capabilities', 'What this host offers: only what it really does.'),
);
/** Answer of `GET /.well-known/openwop`: what this host does, and nothing that it does not. */
export type CapabilitiesWire = Wire<typeof capabilities>;
