import { child, isObject } from '@touchstone/protocol';
import { profileA } from './profile.js';
import {
  closed,
  type InputOf,
  json,
  jsonObject,
  list,
  mapOf,
  optional,
  type Reader,
  type Report,
  required,
  type ValueOf,
  withDefault,
} from './reader.js';
import {
  choice,
  flag,
  moment,
  number,
  numberWithin,
  semver,
  sha256Hex,
  someText,
  text,
  uuid,
} from './scalars.js';

/** Refuses a list in which two items go by one name. */
const uniqueBy =
  <Item>(member: keyof Item & string) =>
  (items: readonly Item[], pointer: string, report: Report): void => {
    const seen = new Set<unknown>();
    items.forEach((item, index) => {
      if (seen.has(item[member]))
        report(
          child(child(pointer, index), member),
          `Expected every ${member} once; an earlier item has this one.`,
        );
      seen.add(item[member]);
    });
  };

const metadata = closed({
  id: required(uuid),
  version: required(semver),
  name: required(someText),
  author: required(someText),
  created_at: required(moment),
  requires_auth: withDefault(flag, false),
});

const capability = closed(
  {
    name: required(text),
    type: required(choice('atomic', 'streaming')),
    description: required(text),
    interface_id: optional(uuid),
    inputs: optional(jsonObject),
    outputs: optional(jsonObject),
    delivery_mode: withDefault(choice('request_response', 'server_sent_events'), 'request_response'),
    events: withDefault(list(closed({ name: required(text), data_schema: required(jsonObject) })), []),
    injected_params: withDefault(list(text), []),
  },
  ({ interface_id, ...found }, pointer, report) => {
    for (const name of ['inputs', 'outputs'] as const) {
      if (found[name] === null && interface_id === null)
        report(
          child(pointer, name),
          'Required, but missing: only a capability with an interface_id goes without.',
        );
    }
  },
);
type Capability = ValueOf<typeof capability>;

const capabilities = list(capability, (items, pointer, report) => {
  if (items.length === 0) report(pointer, 'Expected at least one capability.');
  uniqueBy<Capability>('name')(items, pointer, report);
});

const nodeType = choice('agent', 'human', 'logic', 'recipe', 'map');

/** What a node holds depends on its type and is not used here, so all of it is kept as it is. */
const node: typeof jsonObject = (value, pointer, report) => {
  if (isObject(value)) {
    text(value.id, child(pointer, 'id'), report);
    nodeType(value.type, child(pointer, 'type'), report);
  }
  return jsonObject(value, pointer, report);
};

const modelConfig = closed({
  model: required(text),
  temperature: required(numberWithin(0, 2)),
  system_prompt: optional(text),
  persona: optional(
    closed({ name: required(text), description: required(text), directives: required(list(text)) }),
  ),
});

const config = closed({
  nodes: withDefault(list(node, uniqueBy('id')), []),
  edges: withDefault(
    list(
      closed({ source_node_id: required(text), target_node_id: required(text), condition: optional(text) }),
    ),
    [],
  ),
  entry_point: optional(text),
  model_config: required(modelConfig, 'llm_config'),
  system_prompt: optional(text),
  memory: optional(json),
  adapter_hints: optional(json),
});
type Config = ValueOf<typeof config>;

const remoteTool = closed({
  uri: required(text),
  hash: required(sha256Hex),
  scopes: required(list(text)),
  risk_level: required(choice('safe', 'standard', 'critical')),
});
const inlineTool = closed({
  name: required(text),
  description: required(text),
  parameters: required(jsonObject),
  type: withDefault(choice('function'), 'function'),
});
const tool: Reader<
  ValueOf<typeof remoteTool> | ValueOf<typeof inlineTool>,
  InputOf<typeof remoteTool> | InputOf<typeof inlineTool>
> = (value, pointer, report) =>
  (isObject(value) && 'uri' in value ? remoteTool : inlineTool)(value, pointer, report);

const members = {
  metadata: required(metadata),
  capabilities: required(capabilities),
  config: required(config),
  dependencies: required(
    closed({ tools: withDefault(list(tool), []), libraries: withDefault(list(text), []) }),
  ),
  policy: optional(
    closed({
      budget_caps: withDefault(mapOf(number), {}),
      human_in_the_loop: withDefault(list(text), []),
      allowed_domains: withDefault(list(text), []),
    }),
  ),
  deployment: optional(jsonObject),
  evaluation: optional(profileA),
  observability: optional(
    closed({
      trace_level: required(choice('full', 'metadata_only', 'none')),
      retention_policy: withDefault(text, '30_days'),
      encryption_key_id: optional(text),
    }),
  ),
  custom_metadata: optional(jsonObject),
  status: withDefault(choice('draft', 'published'), 'draft'),
  // Its form only: what it covers leaves the evaluation out, and its spacing cannot be made again here.
  integrity_hash: optional(sha256Hex),
};

/** Form A of a definition: one agent, described in full. */
export const agentDefinition = closed(members, (found, pointer, report) => {
  if (found.metadata?.requires_auth) checkInjection(found.capabilities ?? [], pointer, report);
  if (found.status !== 'published') return;
  if (found.integrity_hash === null)
    report(child(pointer, 'integrity_hash'), 'Required, but missing: the definition is published.');
  if (found.config) checkPublished(found.config, child(pointer, 'config'), report);
});
/** An agent definition of form A, with every default filled in. */
export type AgentDefinition = ValueOf<typeof agentDefinition>;
/** An agent definition of form A as its author writes it. */
export type AgentDefinitionInput = InputOf<typeof agentDefinition>;

function checkInjection(found: readonly Capability[], pointer: string, report: Report): void {
  found.forEach(({ injected_params }, index) => {
    if (!injected_params.includes('user_context'))
      report(
        child(child(child(pointer, 'capabilities'), index), 'injected_params'),
        'Expected user_context among these, because metadata.requires_auth is true.',
      );
  });
}

function checkPublished({ nodes, edges, ...config }: Config, pointer: string, report: Report): void {
  const ids = new Set(nodes.map(({ id }) => id));
  edges.forEach((edge, index) => {
    for (const end of ['source_node_id', 'target_node_id'] as const) {
      if (!ids.has(edge[end]))
        report(
          child(child(child(pointer, 'edges'), index), end),
          'Expected the id of a node; there is none of this id.',
        );
    }
  });
  if (nodes.length > 0) {
    if (config.entry_point === null)
      report(
        child(pointer, 'entry_point'),
        'Required, but missing: the definition is published and has nodes.',
      );
  } else if (!(config.system_prompt ?? config.model_config.system_prompt)) {
    report(
      child(pointer, 'system_prompt'),
      'Required, but missing: the definition is published and has no nodes, so only a system prompt says what it does.',
    );
  }
}
