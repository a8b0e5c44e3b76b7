import { EVAL_MODES, MODEL_CLASSES } from '@touchstone/protocol';
import {
  amount,
  anyObject,
  choice,
  closed,
  constant,
  either,
  flag,
  fraction,
  integer,
  issueAt,
  list,
  mapOf,
  name,
  object,
  ruled,
  set,
  text,
} from '@touchstone/protocol/schema';
import { vendor } from '@touchstone/protocol/wire';
import { datasetsShape } from '../../profiles/index.js';
import { gateShape } from './gates.js';
import { TENANT_LIMITS } from './tenant-limits.js';

// Names that become part of stored rows. No `~`: that mark is the host's own.
const label = text(undefined, {
  pattern: '^[A-Za-z0-9._-]{1,64}$',
  title: '1 to 64 letters, digits, ".", "_" and "-"',
});
const names = list(name());
const atLeast = (minimum: number) => integer(undefined, { minimum, maximum: Number.MAX_SAFE_INTEGER });

const key = closed(
  { tenant: label, roles: list(label, undefined, { minItems: 1 }) },
  {
    key: text(undefined, { pattern: '^[\\x21-\\x7e]{1,512}$', title: 'printable ASCII without spaces' }),
    keyHash: text(undefined, { pattern: '^sha256:[0-9a-f]{64}$', title: 'sha256:<64 hex digits>' }),
    workspace: label,
    principal: label,
  },
);

const scope = text(undefined, {
  pattern: '^(\\*|[a-z][a-z-]*:[a-z][a-z-]*)$',
  title: '"*" or <area>:<action>',
});

const store = text(undefined, {
  pattern: '^(sqlite:.+|postgres(ql)?://.+)$',
  title: 'sqlite:<file> or postgres://…',
});

const anyTenant = text(undefined, {
  pattern: '^(\\*|[A-Za-z0-9._-]{1,64})$',
  title: '"*", or 1 to 64 letters, digits, ".", "_" and "-"',
});
const retention = closed({}, { olderThan: vendor.span, keep: atLeast(0), bodiesOlderThan: vendor.span });

// A query or a user name would end up in every link.
const publicUrl = text(undefined, {
  pattern: '^https?://[^/?#@\\s]+(/[^?#@\\s]*)?$',
  title: 'an http or https URL without user name, query and fragment',
});

const origin = text(undefined, {
  pattern: '^https?://[^/?#@\\s]+$',
  title: 'http:// or https:// with a host and nothing after it',
});

const dnsServer = text(undefined, {
  pattern: '^((\\d{1,3}\\.){3}\\d{1,3}(:\\d+)?|[0-9a-fA-F:]+|\\[[0-9a-fA-F:]+\\](:\\d+)?)$',
  title: 'the IP address of a DNS server, with its port where that is not 53',
});

const evalSuite = closed(
  {},
  { modes: set(choice(EVAL_MODES)), maxTasksPerSuite: atLeast(1), maxCostUsdPerSuite: amount() },
);

const tenantLimits = Object.fromEntries(
  Object.entries(TENANT_LIMITS).map(([limit, { minimum }]) => [limit, atLeast(minimum)]),
);

/** Votes of a portable judge are its own. */
const judgeIssues = ({ model, votes, portable }: { model?: string; votes?: number; portable?: string }) => [
  ...issueAt(
    '',
    (model === undefined) === (portable === undefined) && 'expected either "model" or "portable"',
  ),
  ...issueAt(
    '/votes',
    portable !== undefined && votes !== undefined && 'a portable judge brings its votes along',
  ),
];

export const configShape = closed(
  {},
  {
    /** For editors; ignored here. */
    $schema: text(),
    keys: list(key),
    roles: mapOf(list(scope), label),
    providers: mapOf(anyObject()),
    modelClasses: mapOf(name(), choice(MODEL_CLASSES)),
    models: mapOf(name()),
    prices: mapOf(closed({ inputPerMTok: amount(), outputPerMTok: amount() })),
    judge: ruled(
      closed({}, { model: name(), votes: integer(undefined, { minimum: 1, maximum: 25 }), portable: name() }),
      judgeIssues,
    ),
    judges: names,
    embedder: closed({ model: name() }),
    safety: closed({}, { policy: name(), judge: name() }),
    regression: closed({}, { tolerance: fraction() }),
    // Only what makes them entries: the modules that use them check the rest, in the same words wherever they come from.
    agents: list(object({ agentId: name(), run: anyObject() }, { tenant: label })),
    tools: list(object({ toolId: name() }, { tenants: list(label) })),
    mcpServers: mapOf(anyObject()),
    scorers: mapOf(anyObject()),
    datasets: datasetsShape,
    packs: names,
    suites: names,
    registries: names,
    trust: anyObject(),
    store,
    publicUrl,
    trustedProxies: names,
    evalSuite: either(constant(false), evalSuite),
    page: either(constant(false), closed({}, { origins: list(origin), insecure: flag() })),
    gates: list(gateShape),
    retention: mapOf(retention, anyTenant),
    telemetry: closed({}, { otel: flag(), content: flag() }),
    audit: closed({}, { checkpointEvery: atLeast(1) }),
    egress: closed({}, { allowHosts: names, allowPrivate: flag(), dnsServers: list(dnsServer) }),
    limits: closed(
      {},
      {
        maxRequestBodyBytes: atLeast(1024),
        maxBodyValues: atLeast(1_000),
        maxUnreadBytes: atLeast(1024 * 1024),
        requestsPerMinute: atLeast(1),
        maxConnections: atLeast(2),
        maxRunDurationMs: atLeast(1000),
        perTenant: closed({}, tenantLimits),
      },
    ),
  },
);
