import {
  choice,
  closed,
  constant,
  flag,
  integer,
  list,
  name,
  open,
  plain,
  published,
  ref,
  set,
  text,
  type Wire,
} from '../schema/build.js';
import type { agentManifest } from './agent-manifest.js';

/** The protocol's form of a pack name: a tier, then at least two names. */
const PACK_NAME = '^(core|vendor|community|private)\\.[a-z][a-z0-9_-]*(\\.[a-z][a-zA-Z0-9_-]*)+$';
/** A semantic version, with an optional pre-release and build part. */
const VERSION = '^\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?$';

/** By name, a range of versions. */
const ranges = (description: string) =>
  plain<{ [packName: string]: string }>({ type: 'object', additionalProperties: text(), description });

/** What is known about one required capability of the host. */
const peerMeta = closed(
  {},
  {
    /** `true`: a host without it installs the pack and lists its agents as degraded. `false` when absent. */
    optional: flag('Without it the pack still installs, degraded.', { default: false }),
  },
);

/** A secret that a node needs; the manifest names it and never holds it. */
const secretRequirement = closed(
  {
    /** The name by which the node asks for the secret. */
    id: name('What the node calls it.'),
    /** What sort of secret the operator has to store. */
    kind: choice(['ai-provider', 'api-key', 'oauth-token', 'custom'], 'What sort of secret it is.'),
  },
  {
    /** The model provider, when `kind` is `ai-provider`. */
    provider: text('Whose key it is, when it is for a model provider.'),
    /** Whose secret it is; the host's default when absent. */
    scope: choice(['tenant', 'user', 'run'], 'Where it is looked up.'),
  },
  { description: 'A secret that a node needs; named, never included.' },
);

/** Whose credential it is; the host's default when absent. */
const credentialScope = () => choice(['user', 'workspace', 'tenant'], 'Where it is looked up.');

/** A credential that the host stores and the node uses. */
const credentialRequirement = closed(
  {
    /** The name by which the node asks for the credential. */
    key: name('What the node calls it.'),
  },
  {
    /** Whose credential it is. */
    scope: credentialScope(),
    /** The name that people see when they are asked for it. */
    displayName: text('What people call it.'),
  },
  { description: 'A stored credential that a node needs.' },
);

/** A sign-in at a third party. */
const nodeAuth = closed(
  {
    /** The protocol of the sign-in. */
    type: choice(['oauth2'], 'How the node signs in elsewhere.'),
    /** The third party, e.g. `github`. */
    provider: name('With whom.'),
  },
  {
    /** Permissions that the node requests there; the provider's default when absent. */
    scopes: list(text(), 'What it asks to be allowed.'),
  },
  { description: 'A sign-in that a node needs at a third party.' },
);

/** A connector's sign-in by a credential that the host stores. */
const storedCredential = closed(
  {
    /** A credential that the host keeps. Tells this form from a sign-in by OAuth. */
    type: choice(['credential'], 'A credential that the host keeps.'),
    /** The name of the stored credential. */
    key: name('Which one.'),
  },
  {
    /** Whose credential it is. */
    scope: credentialScope(),
  },
);

/** How all actions of a connector sign in: by OAuth, or by a stored credential. */
type ConnectorAuth =
  | { type: 'oauth2'; provider: string; scopes?: string[] }
  | { type: 'credential'; key: string; scope?: 'user' | 'workspace' | 'tenant' };

const connectorAuth = plain<ConnectorAuth>({
  description: 'How all actions of a connector sign in.',
  oneOf: [ref('#/$defs/NodeAuth'), storedCredential],
});

/** At most `requests` calls in each span of `perSeconds` seconds. */
const rateLimit = closed(
  {},
  {
    /** Calls that are allowed in one span; at least 1. */
    requests: integer(undefined, { minimum: 1 }),
    /** The length of the span, in seconds; at least 1. */
    perSeconds: integer(undefined, { minimum: 1 }),
  },
  { description: 'How often it may be called.' },
);

/** One action of a connector. */
const connectorAction = closed(
  {
    /** The `typeId` of a node in this pack. */
    typeId: name('The node of this pack that does it.'),
    /** The name that people see. */
    displayName: name(),
  },
  {
    /**
     * Whether it may be repeated without harm. `true` when a second call with the same input changes nothing further.
     */
    idempotent: flag('Whether it may be repeated without harm.'),
    /** How often the action may be called; without limit when absent. */
    rateLimit,
    /** Whether its answers come in pages. `true` when one call returns a part and a cursor. */
    paginated: flag('Whether its answers come in pages.'),
  },
);

/** Presents the nodes of the pack as one integration. */
const connector = closed(
  {
    /** The id of the integration: small letters, digits, dots and hyphens. */
    id: text('Its name.', { pattern: '^[a-z][a-z0-9.-]*$' }),
    /** The name that people see. */
    displayName: name(),
  },
  {
    /** The sign-in that all actions share; none when absent. */
    auth: ref<typeof connectorAuth>('#/$defs/ConnectorAuth', 'How its actions sign in.'),
    /** Nodes that act on the integration. */
    actions: list(connectorAction, 'What it can do.'),
    /** Types of event that the integration can send. */
    triggers: list(name(), 'What it can start.'),
  },
  { description: 'Makes the nodes of the pack one integration.' },
);

/** Used when the configured model lacks one of `requiredModelCapabilities`. */
const fallbackModel = closed(
  {
    /** The configured provider. */
    provider: text('Whose model.', { pattern: '^[a-z][a-z0-9-]*$' }),
    /** The model, as its provider calls it. */
    model: name('Which one.'),
  },
  {},
  { description: 'The model to take when the chosen one cannot do what the node needs.' },
);

/** The document that a node produces. */
const artifact = closed(
  {},
  {
    /** The type of the document. */
    typeId: text(),
    /** When the document is written to its store. */
    syncOn: choice(['completion', 'approval', 'manual']),
    /** Whether an unfinished document can be stored and continued. */
    supportsCheckpoint: flag(),
  },
);

/** By port name. Members that the protocol does not name are passed on. */
type OutputPorts = { [port: string]: { sensitive?: boolean; [other: string]: unknown } };

/** What is known about each output port. */
const outputs = plain<OutputPorts>({
  type: 'object',
  additionalProperties: open(
    {},
    {
      /** `true`: the host masks the port's values wherever they are shown. `false` when absent. */
      sensitive: flag('Whether its values are masked.', { default: false }),
    },
  ),
  description: 'What is known about each output port.',
});

/** One node type of the pack. This host runs agents and refuses packs that bring code. */
const packNode = closed(
  {
    /** The node type's id, unique among node types, e.g. `acme.sendMail`; at most 256 characters. */
    typeId: text('Its type.', { pattern: '^[a-z][a-zA-Z0-9._-]*$', minLength: 1, maxLength: 256 }),
    /** The node type's own version, which may differ from the pack's. */
    version: text('Its own version.'),
    /** The group that editors list the node under. */
    category: choice(
      ['chat', 'control', 'data', 'canvas', 'coordination', 'integration'],
      'Where it belongs in lists.',
    ),
    /** A word for schedulers; opaque to clients. */
    role: text('What it is to a scheduler.'),
  },
  {
    /** The name that people see. */
    label: name(),
    /** What the node does, for people. */
    description: text(),
    /** Properties that schedulers may rely on. */
    capabilities: set(
      choice(['streamable', 'cacheable', 'side-effectful', 'mcp-exportable']),
      'What may be done with it.',
    ),
    /** Path to the JSON Schema of its settings. A path inside the pack. */
    configSchemaRef: text('Path to the JSON Schema of its settings.'),
    /** Path to the JSON Schema of its inputs. A path inside the pack. */
    inputSchemaRef: text('Path to the JSON Schema of its inputs.'),
    /** Path to the JSON Schema of its outputs. A path inside the pack. */
    outputSchemaRef: text('Path to the JSON Schema of its outputs.'),
    /** Facts about single output ports; absent when there are none. */
    outputs,
    /** A path inside the pack, to the envelope that the node asks a model for. */
    envelopeContractRef: text('Path to what it expects of a model.'),
    /** The document that the node produces; absent when it produces none. */
    artifact,
    /** Whether other programs may call the node as an MCP tool. */
    mcp: closed(
      {},
      {
        /** `true` offers the node as a tool; `false` when absent. */
        exposeAsTool: flag(),
        /** The tool's name; derived from `typeId` when absent. */
        toolName: text(),
      },
    ),
    /** Secrets that the node needs; absent when it needs none. */
    requiresSecrets: list(ref<typeof secretRequirement>('#/$defs/SecretRequirement'), 'Secrets it needs.'),
    /** Stored credentials that the node needs; absent when it needs none. */
    requiredCredentials: list(
      ref<typeof credentialRequirement>('#/$defs/CredentialRequirement'),
      'Credentials it needs.',
    ),
    /** The sign-in at a third party that the node needs; absent when it needs none. */
    auth: ref<typeof nodeAuth>('#/$defs/NodeAuth', 'The sign-in it needs.'),
    /** The protocol's names, or `x-host-…` names of one host; at most 32. */
    requiredModelCapabilities: set(
      text(undefined, { pattern: '^([a-z][a-z0-9-]*|x-host-[a-z][a-z0-9-]*-[a-z][a-z0-9-]*)$' }),
      'What its model must be able to do.',
      { maxItems: 32 },
    ),
    /** The model to use instead; absent when the node has no fallback. */
    fallbackModel,
  },
);

/** What code of a pack may ask to be allowed, each with its meaning. */
const PRIMITIVES = {
  'net.dns': 'Looks up names.',
  'net.outbound': 'Connects to other machines.',
  crypto: 'More cryptography than hashing.',
  subprocess: 'Starts processes.',
  'fs.read': 'Reads files.',
  'fs.write': 'Writes files.',
  'env.read': 'Reads the environment.',
  clock: 'Depends on the time of day.',
} as const;

const primitive = plain<keyof typeof PRIMITIVES>({
  oneOf: Object.entries(PRIMITIVES).map(([value, description]) => ({ const: value, description })),
});

/** What runs the nodes of the pack. Agents have no code: packs of agents say `remote`. */
const runtime = closed(
  {
    /**
     * What loads the nodes. Agents are always interpreted by the host, hence remote. Packs with another language than
     * `remote` are refused here with `unsupported_runtime`.
     */
    language: choice(
      ['javascript', 'python', 'go', 'wasm', 'wasm-component', 'remote'],
      'What loads the nodes. Agents are always interpreted by the host, hence remote.',
    ),
    /** A path inside the pack, or a URL when the language is `remote`. */
    entry: text('What to load, as a path inside the pack or a URL.'),
  },
  {
    /** The form of the code; follows from `language` when absent. */
    format: choice(
      ['esm', 'cjs', 'wheel', 'binary', 'shared-library', 'wasm', 'wasm-component'],
      'How it is packaged.',
    ),
    /** The lowest version of the language's runtime; any when absent. */
    minRuntimeVersion: text('The oldest runtime it works on.'),
    /** Permissions that the code asks for; none when absent. */
    requires: set(primitive, 'What its code must be allowed to do.'),
  },
);

/** Who signed the manifest. Whether the key is trusted is the operator's decision (`trust.keys`). */
const signing = closed(
  {},
  {
    /** The id of the key, or a path inside the pack. */
    publicKeyRef: text('The key that signed it.'),
    /** The signature of `pack.json`, as a path inside the pack. */
    signatureRef: text('Path to the signature of pack.json.'),
    /** `manual`: an Ed25519 key of the author. `sigstore`: an identity at a certificate authority. */
    method: choice(['manual', 'sigstore'], 'How it was signed.'),
  },
  { description: 'Who vouches for the manifest.' },
);

/** The condition that a list is present and not empty. */
const hasItems = (member: string) => ({
  properties: { [member]: { type: 'array', minItems: 1 } },
  required: [member],
});

/** The protocol's schema of `pack.json`. A pack brings at least one node or one agent. */
export const nodePackManifest = closed(
  {
    /** `<tier>.<org>.<pack>`, e.g. `vendor.acme.support`. Ids of its agents begin with it. */
    name: text('The name of the pack: <tier>.<org>.<pack>.', {
      pattern: PACK_NAME,
      minLength: 1,
      maxLength: 256,
    }),
    /** A semantic version; also the version of every agent in the pack. */
    version: text('Its version, by SemVer.', { pattern: VERSION }),
    /** Versions of hosts that the pack works with. */
    engines: open({
      /** The protocol versions it works with, as a range. A range such as `>=1.0 <2`. */
      openwop: text('The protocol versions it works with, as a range.'),
    }),
    /** What runs the nodes of the pack. */
    runtime: ref<typeof runtime>('#/$defs/Runtime'),
  },
  {
    /** The kind of pack: always `node`, and may be left out. */
    kind: constant('node', {
      type: 'string',
      description: 'What kind of pack it is.',
    }),
    /** What the pack is for, for people who choose one; at most 1024 characters. */
    description: text(undefined, { maxLength: 1024 }),
    /** Who wrote the pack, for people. The signature says who published it. */
    author: text(),
    /** An SPDX expression, e.g. `Apache-2.0`. */
    license: text('Its licence, by SPDX.'),
    /** An absolute URL. */
    homepage: text(undefined, { format: 'uri' }),
    /** An absolute URL of the source. */
    repository: text(undefined, { format: 'uri' }),
    /** Words to find the pack by; at most 50, each at most 64 characters. */
    keywords: list(text(undefined, { maxLength: 64 }), undefined, { maxItems: 50 }),
    /** Other packs that it needs, with ranges. By pack name, a range of versions. */
    dependencies: ranges('Other packs that it needs, with ranges.'),
    /** What the host must offer. By capability, a range of versions. A missing one is refused unless it is optional. */
    peerDependencies: ranges('What the host must offer.'),
    /** Which required capabilities are optional, by name. */
    peerDependenciesMeta: plain<{ [capability: string]: { optional?: boolean } }>({
      type: 'object',
      additionalProperties: peerMeta,
      description: 'Which of these it can do without.',
    }),
    /** Node types it brings. Absent when the pack brings agents only. */
    nodes: list(ref<typeof packNode>('#/$defs/PackNode'), 'Node types it brings.'),
    /** Agents in the pack; absent when it brings nodes only. */
    agents: list(ref<typeof agentManifest>('agent-manifest.schema.json'), 'Agents it brings.'),
    /** Who signed the manifest; absent when the pack is not signed. */
    signing: ref<typeof signing>('#/$defs/Signing'),
    /** The integration that the nodes form; absent when they form none. */
    connector: ref<typeof connector>('#/$defs/Connector'),
  },
  {
    ...published('node-pack-manifest', 'NodePackManifest', 'What a pack holds: pack.json at its root.'),
    anyOf: [hasItems('nodes'), hasItems('agents')],
    $defs: {
      PackNode: packNode,
      SecretRequirement: secretRequirement,
      CredentialRequirement: credentialRequirement,
      NodeAuth: nodeAuth,
      ConnectorAuth: connectorAuth,
      Connector: connector,
      Runtime: runtime,
      Signing: signing,
    },
  },
);
/** `pack.json` at the root of a pack, as its publisher writes it. */
export type NodePackManifestWire = Wire<typeof nodePackManifest>;
