import type { EvalMode, GatePolicy, Issue, JsonObject } from '@touchstone/protocol';
import type { DatasetConfigInput } from '../../profiles/index.js';
import type { TelemetryConfig } from '../../telemetry/index.js';
import type { Roles } from '../principal.js';
import type { GateInput } from './gates.js';
import type { TenantLimits } from './tenant-limits.js';

/** A key of the configuration, with its secret already turned into a hash. */
type ConfigKey = {
  /** `sha256:<hex>` of the secret. */
  readonly keyHash: string;
  /** The tenant whose data the key may see. */
  readonly tenant: string;
  /** A part of the tenant with data of its own; `main` when absent. */
  readonly workspace: string;
  /** The opaque id that events and the audit log name; made from the hash when absent. */
  readonly principal: string;
  /** Names of `roles`; their scopes add up. */
  readonly roles: readonly string[];
};
// Entries that another module knows how to read; here they are known to be objects with a name.
type ConfigTool = JsonObject & { readonly toolId: string };
type ConfigAgent = JsonObject & {
  readonly agentId: string;
  readonly tenant?: string;
  readonly run: JsonObject;
};
/** US dollars per million tokens, by `provider/model`. */
type Prices = { readonly [model: string]: { readonly inputPerMTok: number; readonly outputPerMTok: number } };
type EvalSuiteSettings = {
  /** The modes this host runs; all that are implemented by default. */
  readonly modes?: readonly EvalMode[];
  /** A suite with more tasks is refused. */
  readonly maxTasksPerSuite?: number;
  /** A run that has cost this much in US dollars starts no further task. */
  readonly maxCostUsdPerSuite?: number;
};

type PageSettings = {
  /** Addresses under which browsers reach the page, besides loopback, the bound address and `publicUrl`. */
  readonly origins: readonly string[];
  /** Browsers may sign in over plain HTTP from elsewhere. */
  readonly insecure: boolean;
};

/** Which runs of a tenant a host removes by itself. */
type RetentionRule = {
  /** Runs that ended so long ago, e.g. `90d`. With `keep`, those that both let go. */
  readonly olderThan?: string;
  /** Runs that are not among the newest so many of their suite and agent. */
  readonly keep?: number;
  /** Of runs that ended so long ago, the content goes and the scores stay. */
  readonly bodiesOlderThan?: string;
};

/** A configuration that has been read and completed. */
export type Config = {
  /** Relative paths in the configuration are relative to this folder: the file's own, or the working folder without one. */
  readonly baseDir: string;
  /** The file it was read from. */
  readonly file?: string;
  readonly keys: readonly ConfigKey[];
  readonly roles: Roles;
  readonly prices: Prices;
  readonly agents: readonly ConfigAgent[];
  readonly tools: readonly ConfigTool[];
  readonly providers: JsonObject;
  readonly mcpServers: JsonObject;
  readonly scorers: JsonObject;
  readonly trust: JsonObject;
  readonly modelClasses: { readonly [modelClass: string]: string };
  readonly models: { readonly [name: string]: string };
  readonly judge?: {
    readonly model?: string;
    readonly votes?: number;
    /** A portable judge as `<judgeId>@<version>`, in place of a model. */
    readonly portable?: string;
  };
  /** Files of portable judges, and folders of such files. */
  readonly judges: readonly string[];
  readonly embedder?: { readonly model: string };
  readonly safety?: { readonly policy?: string; readonly judge?: string };
  readonly regression: { readonly tolerance: number };
  readonly datasets: DatasetConfigInput;
  readonly packs: readonly string[];
  readonly suites: readonly string[];
  readonly registries: readonly string[];
  readonly store?: string;
  /** Without a slash at its end. */
  readonly publicUrl?: string;
  readonly trustedProxies: readonly string[];
  readonly evalSuite: false | EvalSuiteSettings;
  /** The web page; false where none is served. */
  readonly page: false | PageSettings;
  readonly gates: readonly GatePolicy[];
  readonly egress: {
    readonly allowHosts: readonly string[];
    readonly allowPrivate: boolean;
    /** Asked for the names in URLs of tenants; the machine's own when there is none. */
    readonly dnsServers: readonly string[];
  };
  readonly limits: {
    readonly maxRequestBodyBytes: number;
    /** Members and items of a JSON body. Suites and definitions may have ten times as many. */
    readonly maxBodyValues: number;
    /** Of all tenants together. */
    readonly maxUnreadBytes: number;
    readonly requestsPerMinute: number;
    /** Connections of all callers; by default a fifth of the files that the process may have open. */
    readonly maxConnections?: number;
    readonly maxRunDurationMs?: number;
    readonly perTenant: TenantLimits;
  };
  readonly retention: { readonly [tenant: string]: RetentionRule };
  readonly telemetry: TelemetryConfig;
  readonly audit: { readonly checkpointEvery?: number };
  /** What is wrong with parts that other modules read. A command that does not use such a part works without it. */
  readonly troubles: readonly Issue[];
};

/** A configuration file as its author writes it. Every member is optional. */
export type ConfigInput = {
  /** API keys of `serve`: each with its tenant and roles, and either `key` or `keyHash` (`sha256:<hex>`). */
  readonly keys?: readonly (Partial<ConfigKey> & {
    readonly key?: string;
    readonly tenant: string;
    readonly roles: readonly string[];
  })[];
  /** The scopes of each role; `*` is every scope. Added to the roles admin, runner and releaser. */
  readonly roles?: Roles;
  /** US dollars per million tokens, by `provider/model`; they go before the built-in price list. */
  readonly prices?: Prices;
  /** The agents that suites are run against. */
  readonly agents?: readonly ConfigAgent[];
  /** HTTP tools that agents may call, each with its URL and safety tier. */
  readonly tools?: readonly ConfigTool[];
  /** Folders and files of suites; `serve` installs them at its start. */
  readonly suites?: readonly string[];
  /** Addresses of suite registries, asked in this order for suites that a command names with a version range. */
  readonly registries?: readonly string[];
  /** `sqlite:<file>`; a file in the data folder by default. */
  readonly store?: string;
  /** Where callers reach this host, for the links it gives out; the address that each caller used by default. */
  readonly publicUrl?: string;
  /** Addresses and ranges of proxies that are believed when they say who a caller is, and by which address it came. */
  readonly trustedProxies?: readonly string[];
  /** Limits of evaluations; `false` switches evaluation off. */
  readonly evalSuite?: false | EvalSuiteSettings;
  /** The web page: under which addresses browsers reach it; `false` serves none. */
  readonly page?: false | Partial<PageSettings>;
  /** Where URLs of tenants may lead: `allowHosts` is the whole allowlist when it is not empty. */
  readonly egress?: Partial<Config['egress']>;
  /** Bounds on requests to the server, and on the time that a run may take. */
  readonly limits?: Partial<Omit<Config['limits'], 'perTenant'>> & {
    readonly perTenant?: Partial<TenantLimits>;
  };
  /** How long runs are kept, by tenant; `*` is for the tenants that have no entry. Without any, runs are kept. */
  readonly retention?: Config['retention'];
  /** Whether traces and results are sent by OpenTelemetry, and whether they may hold content. The environment says where to. */
  readonly telemetry?: Partial<TelemetryConfig>;
  /** A host signs the audit log of an owner whenever it has `checkpointEvery` records more; never when absent. */
  readonly audit?: Config['audit'];
  /** Model providers by name: kind, base URL, the variable that holds the key, the tenants it is for. */
  readonly providers?: JsonObject;
  /** `provider/model` for each class of models that agents name. */
  readonly modelClasses?: Config['modelClasses'];
  /** `provider/model` for model names that definitions use. */
  readonly models?: Config['models'];
  /** Files of portable judges, and folders of `*.judge.json` or `.yaml`, relative to the configuration. */
  readonly judges?: readonly string[];
  /** The judge of rubric criteria that are prose: `provider/model` and how many votes it casts, or a portable judge. */
  readonly judge?: Config['judge'] & object;
  /** The model that compares meanings, for contracts that ask for it. */
  readonly embedder?: Config['embedder'] & object;
  /** A policy file with the severities of findings, and a model that looks at every answer of an adversarial run. */
  readonly safety?: Config['safety'] & object;
  /** A drop of the mean score up to `tolerance` is not called a regression; 0 by default. */
  readonly regression?: Partial<Config['regression']>;
  /** Where datasets of definitions may be read: folders, hosts, S3. */
  readonly datasets?: DatasetConfigInput;
  /** MCP servers by name, whose tools agents may call. */
  readonly mcpServers?: JsonObject;
  /** Programs that decide criteria, by name: kind, path or command, and whether their scores count for a gate. */
  readonly scorers?: JsonObject;
  /** Folders of packs. */
  readonly packs?: readonly string[];
  /** Which packs and signatures are trusted. */
  readonly trust?: JsonObject;
  /** What a version needs before it reaches a state: an evaluation, an approval, or both. */
  readonly gates?: readonly GateInput[];
};
