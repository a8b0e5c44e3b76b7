import { child, isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { profileShapeB } from './profile-shape.js';
import { choice, flag, integer, number, text } from './scalars.js';
import type { InputOf, Report, Shape, ValueOf } from './shape.js';
import {
  below,
  closed,
  jsonObject,
  list,
  mapOf,
  oneOf,
  open,
  optional,
  required,
  withDefault,
} from './structures.js';

const remoteTool = closed({ type: required(choice('remote')), uri: required(text), hash: optional(text) });
const inlineTool = closed({
  type: required(choice('inline')),
  name: required(text),
  description: required(text),
  parameters: required(jsonObject),
  code_hash: optional(text),
});
type ToolValue = ValueOf<typeof remoteTool> | ValueOf<typeof inlineTool>;
type ToolInput = string | InputOf<typeof remoteTool> | InputOf<typeof inlineTool>;

const toolObject = oneOf(
  (value) =>
    (isObject(value) && value.type === 'inline' ? inlineTool : remoteTool) as Shape<ToolValue, ToolInput>,
);
/** Older files name a tool by a string alone, which is the address of a remote one. */
const tool: Shape<ToolValue, ToolInput> = {
  ...toolObject,
  read: (value, pointer, report) =>
    toolObject.read(typeof value === 'string' ? { type: 'remote', uri: value } : value, pointer, report),
};

const interfaceShape = closed({
  inputs: withDefault(jsonObject, {}),
  outputs: withDefault(jsonObject, {}),
});

const agentShape = closed({
  type: required(choice('agent')),
  id: required(text),
  name: required(text),
  role: required(text),
  goal: required(text),
  description: optional(text),
  backstory: optional(text),
  model: optional(text),
  tools: withDefault(list(tool), []),
  knowledge: withDefault(list(text), []),
  skills: withDefault(list(text), []),
  context_strategy: withDefault(text, 'hybrid'),
  interface: withDefault(interfaceShape, {}),
  capabilities: withDefault(
    closed({
      type: withDefault(choice('graph', 'atomic'), 'graph'),
      delivery_mode: withDefault(choice('request_response', 'server_sent_events'), 'request_response'),
      history_support: withDefault(flag, true),
    }),
    {},
  ),
  runtime: optional(jsonObject),
  evaluation: optional(profileShapeB),
  resources: optional(jsonObject),
});
export type ManifestAgent = ValueOf<typeof agentShape>;
type ManifestDefinition = ManifestAgent | JsonObject;

/** Whatever calls itself an agent is read as one: a slip in it must not turn it into something nobody looks at. */
const definition = oneOf(
  (value) =>
    (isObject(value) && value.type === 'agent' ? agentShape : opaqueDefinition) as Shape<
      ManifestDefinition,
      InputOf<typeof agentShape> | { readonly [name: string]: unknown }
    >,
);

/** A value of no interest here, but for the evaluation profiles that evaluator nodes inside it may hold. */
const withEvaluators = (shape: typeof jsonObject): typeof jsonObject => ({
  ...shape,
  read: (value, pointer, report) => {
    const found = shape.read(value, pointer, report);
    if (found !== undefined) checkEvaluators(found, pointer, report);
    return found;
  },
});
const withoutRefs: typeof jsonObject = {
  ...jsonObject,
  read: (value, pointer, report) => {
    if (isObject(value) && '$ref' in value)
      report(
        child(pointer, '$ref'),
        'Expected the definition itself: nothing says where files are to be found.',
      );
    return jsonObject.read(value, pointer, report);
  },
};
/** A slip in the type must not make a profile something that nobody looks at. */
const withoutProfile: typeof jsonObject = {
  ...withoutRefs,
  read: (value, pointer, report) => {
    if (isObject(value) && value.evaluation !== undefined && value.evaluation !== null)
      report(child(pointer, 'type'), 'Expected "agent": nothing else carries an evaluation profile.');
    return withoutRefs.read(value, pointer, report);
  },
};
const opaqueDefinition = withEvaluators(withoutProfile);

function checkEvaluators(value: Json, pointer: string, report: Report): void {
  if (typeof value !== 'object' || value === null) return;
  const { type, evaluation_profile: profile } = isObject(value) ? value : {};
  // A string names a profile that is kept elsewhere.
  if (type === 'evaluator' && profile !== undefined && typeof profile !== 'string')
    profileShapeB.read(profile, child(pointer, 'evaluation_profile'), report);
  for (const [key, member] of Object.entries(value))
    checkEvaluators(member as Json, below(pointer, key), report);
}

/** Form B of a definition: a manifest that may define several agents. */
export const manifestShape = closed(
  {
    apiVersion: withDefault(choice('coreason.ai/v2'), 'coreason.ai/v2'),
    kind: required(choice('Recipe', 'Agent')),
    // Up to 0.21 the metadata took any member, later ones only some: open is what takes both.
    metadata: required(open({ name: required(text), version: withDefault(text, '0.1.0') })),
    interface: withDefault(interfaceShape, {}),
    state: withDefault(jsonObject, {}),
    policy: withDefault(
      closed({
        max_steps: optional(integer),
        max_retries: withDefault(integer, 3),
        timeout: optional(number),
        human_in_the_loop: withDefault(flag, false),
      }),
      {},
    ),
    definitions: withDefault(mapOf(definition), {}),
    workflow: required(closed({ start: required(text), steps: required(mapOf(withEvaluators(jsonObject))) })),
  },
  {
    check: ({ definitions = {} }, pointer, report) => {
      for (const [key, { type, id }] of Object.entries(definitions)) {
        if (type === 'agent' && id !== key)
          report(
            child(below(child(pointer, 'definitions'), key), 'id'),
            'Expected the id of the agent to equal its key in definitions.',
          );
      }
    },
  },
);
export type ManifestV2 = ValueOf<typeof manifestShape>;
export type ManifestInput = InputOf<typeof manifestShape>;

/** The agents of a manifest, in the order of its definitions. */
export const agentsOf = ({ definitions }: ManifestV2): readonly ManifestAgent[] =>
  Object.values(definitions).filter((entry) => entry.type === 'agent') as ManifestAgent[];
