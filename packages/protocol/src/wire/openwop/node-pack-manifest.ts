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

const PACK_NAME = '^(core|vendor|community|private)\\.[a-z][a-z0-9_-]*(\\.[a-z][a-zA-Z0-9_-]*)+$';
const VERSION = '^\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?$';

const ranges = (description: string) =>
  plain<{ [packName: string]: string }>({ type: 'object', additionalProperties: text(), description });

const peerMeta = closed(
  {},
  { optional: flag('Without it the pack still installs, degraded.', { default: false }) },
);

const secretRequirement = closed(
  {
    id: name('What the node calls it.'),
    kind: choice(['ai-provider', 'api-key', 'oauth-token', 'custom'], 'What sort of secret it is.'),
  },
  {
    provider: text('Whose key it is, when it is for a model provider.'),
    scope: choice(['tenant', 'user', 'run'], 'Where it is looked up.'),
  },
  { description: 'A secret that a node needs; named, never included.' },
);

const credentialScope = () => choice(['user', 'workspace', 'tenant'], 'Where it is looked up.');

const credentialRequirement = closed(
  { key: name('What the node calls it.') },
  { scope: credentialScope(), displayName: text('What people call it.') },
  { description: 'A stored credential that a node needs.' },
);

const nodeAuth = closed(
  {
    type: choice(['oauth2'], 'How the node signs in elsewhere.'),
    provider: name('With whom.'),
  },
  { scopes: list(text(), 'What it asks to be allowed.') },
  { description: 'A sign-in that a node needs at a third party.' },
);

const storedCredential = closed(
  {
    type: choice(['credential'], 'A credential that the host keeps.'),
    key: name('Which one.'),
  },
  { scope: credentialScope() },
);

type ConnectorAuth =
  | { type: 'oauth2'; provider: string; scopes?: string[] }
  | { type: 'credential'; key: string; scope?: 'user' | 'workspace' | 'tenant' };

const connectorAuth = plain<ConnectorAuth>({
  description: 'How all actions of a connector sign in.',
  oneOf: [ref('#/$defs/NodeAuth'), storedCredential],
});

const rateLimit = closed(
  {},
  { requests: integer(undefined, { minimum: 1 }), perSeconds: integer(undefined, { minimum: 1 }) },
  { description: 'How often it may be called.' },
);

const connectorAction = closed(
  {
    typeId: name('The node of this pack that does it.'),
    displayName: name(),
  },
  {
    idempotent: flag('Whether it may be repeated without harm.'),
    rateLimit,
    paginated: flag('Whether its answers come in pages.'),
  },
);

const connector = closed(
  {
    id: text('Its name.', { pattern: '^[a-z][a-z0-9.-]*$' }),
    displayName: name(),
  },
  {
    auth: ref<typeof connectorAuth>('#/$defs/ConnectorAuth', 'How its actions sign in.'),
    actions: list(connectorAction, 'What it can do.'),
    triggers: list(name(), 'What it can start.'),
  },
  { description: 'Makes the nodes of the pack one integration.' },
);

const fallbackModel = closed(
  {
    provider: text('Whose model.', { pattern: '^[a-z][a-z0-9-]*$' }),
    model: name('Which one.'),
  },
  {},
  { description: 'The model to take when the chosen one cannot do what the node needs.' },
);

const artifact = closed(
  {},
  {
    typeId: text(),
    syncOn: choice(['completion', 'approval', 'manual']),
    supportsCheckpoint: flag(),
  },
);

type OutputPorts = { [port: string]: { sensitive?: boolean; [other: string]: unknown } };

const outputs = plain<OutputPorts>({
  type: 'object',
  additionalProperties: open({}, { sensitive: flag('Whether its values are masked.', { default: false }) }),
  description: 'What is known about each output port.',
});

const packNode = closed(
  {
    typeId: text('Its type.', { pattern: '^[a-z][a-zA-Z0-9._-]*$', minLength: 1, maxLength: 256 }),
    version: text('Its own version.'),
    category: choice(
      ['chat', 'control', 'data', 'canvas', 'coordination', 'integration'],
      'Where it belongs in lists.',
    ),
    role: text('What it is to a scheduler.'),
  },
  {
    label: name(),
    description: text(),
    capabilities: set(
      choice(['streamable', 'cacheable', 'side-effectful', 'mcp-exportable']),
      'What may be done with it.',
    ),
    configSchemaRef: text('Path to the JSON Schema of its settings.'),
    inputSchemaRef: text('Path to the JSON Schema of its inputs.'),
    outputSchemaRef: text('Path to the JSON Schema of its outputs.'),
    outputs,
    envelopeContractRef: text('Path to what it expects of a model.'),
    artifact,
    mcp: closed({}, { exposeAsTool: flag(), toolName: text() }),
    requiresSecrets: list(ref<typeof secretRequirement>('#/$defs/SecretRequirement'), 'Secrets it needs.'),
    requiredCredentials: list(
      ref<typeof credentialRequirement>('#/$defs/CredentialRequirement'),
      'Credentials it needs.',
    ),
    auth: ref<typeof nodeAuth>('#/$defs/NodeAuth', 'The sign-in it needs.'),
    requiredModelCapabilities: set(
      text(undefined, { pattern: '^([a-z][a-z0-9-]*|x-host-[a-z][a-z0-9-]*-[a-z][a-z0-9-]*)$' }),
      'What its model must be able to do.',
      { maxItems: 32 },
    ),
    fallbackModel,
  },
);

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

const runtime = closed(
  {
    language: choice(
      ['javascript', 'python', 'go', 'wasm', 'wasm-component', 'remote'],
      'What loads the nodes. Agents are always interpreted by the host, hence remote.',
    ),
    entry: text('What to load, as a path inside the pack or a URL.'),
  },
  {
    format: choice(
      ['esm', 'cjs', 'wheel', 'binary', 'shared-library', 'wasm', 'wasm-component'],
      'How it is packaged.',
    ),
    minRuntimeVersion: text('The oldest runtime it works on.'),
    requires: set(primitive, 'What its code must be allowed to do.'),
  },
);

const signing = closed(
  {},
  {
    publicKeyRef: text('The key that signed it.'),
    signatureRef: text('Path to the signature of pack.json.'),
    method: choice(['manual', 'sigstore'], 'How it was signed.'),
  },
  { description: 'Who vouches for the manifest.' },
);

const hasItems = (member: string) => ({
  properties: { [member]: { type: 'array', minItems: 1 } },
  required: [member],
});

export const nodePackManifest = closed(
  {
    name: text('The name of the pack: <tier>.<org>.<pack>.', {
      pattern: PACK_NAME,
      minLength: 1,
      maxLength: 256,
    }),
    version: text('Its version, by SemVer.', { pattern: VERSION }),
    engines: open({ openwop: text('The protocol versions it works with, as a range.') }),
    runtime: ref<typeof runtime>('#/$defs/Runtime'),
  },
  {
    kind: constant('node', { type: 'string', description: 'What kind of pack it is.' }),
    description: text(undefined, { maxLength: 1024 }),
    author: text(),
    license: text('Its licence, by SPDX.'),
    homepage: text(undefined, { format: 'uri' }),
    repository: text(undefined, { format: 'uri' }),
    keywords: list(text(undefined, { maxLength: 64 }), undefined, { maxItems: 50 }),
    dependencies: ranges('Other packs that it needs, with ranges.'),
    peerDependencies: ranges('What the host must offer.'),
    peerDependenciesMeta: plain<{ [capability: string]: { optional?: boolean } }>({
      type: 'object',
      additionalProperties: peerMeta,
      description: 'Which of these it can do without.',
    }),
    nodes: list(ref<typeof packNode>('#/$defs/PackNode'), 'Node types it brings.'),
    agents: list(ref<typeof agentManifest>('agent-manifest.schema.json'), 'Agents it brings.'),
    signing: ref<typeof signing>('#/$defs/Signing'),
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
