import { child, isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { profileB } from './profile.js';
import {
  below,
  closed,
  type InputOf,
  jsonObject,
  list,
  mapOf,
  open,
  optional,
  type Reader,
  type Report,
  required,
  type ValueOf,
  withDefault,
} from './reader.js';
import { choice, flag, integer, number, text } from './scalars.js';

const remoteTool = closed({ type: required(choice('remote')), uri: required(text), hash: optional(text) });
const inlineTool = closed({
  type: required(choice('inline')),
  name: required(text),
  description: required(text),
  parameters: required(jsonObject),
  code_hash: optional(text),
});
/** Older files name a tool by a string alone, which is the address of a remote one. */
const tool: Reader<
  ValueOf<typeof remoteTool> | ValueOf<typeof inlineTool>,
  string | InputOf<typeof remoteTool> | InputOf<typeof inlineTool>
> = (value, pointer, report) => {
  if (typeof value === 'string') return remoteTool({ type: 'remote', uri: value }, pointer, report);
  return (isObject(value) && value.type === 'inline' ? inlineTool : remoteTool)(value, pointer, report);
};

const interfaceReader = closed({
  inputs: withDefault(jsonObject, {}),
  outputs: withDefault(jsonObject, {}),
});

const agent = closed({
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
  interface: withDefault(interfaceReader, {}),
  capabilities: withDefault(
    closed({
      type: withDefault(choice('graph', 'atomic'), 'graph'),
      delivery_mode: withDefault(choice('request_response', 'server_sent_events'), 'request_response'),
      history_support: withDefault(flag, true),
    }),
    {},
  ),
  runtime: optional(jsonObject),
  evaluation: optional(profileB),
  resources: optional(jsonObject),
});
export type ManifestAgent = ValueOf<typeof agent>;
type ManifestDefinition = ManifestAgent | JsonObject;

/** A value that is only passed on, but for the evaluation profiles that evaluator nodes inside it may hold. */
const passedOn: typeof jsonObject = (value, pointer, report) => {
  const found = jsonObject(value, pointer, report);
  if (found !== undefined) checkEvaluators(found, pointer, report);
  return found;
};

/**
 * What has the type agent is read as one, and nothing else may carry a profile: a slip must not turn an agent into a
 * definition that is never evaluated.
 */
const definition: Reader<ManifestDefinition, InputOf<typeof agent> | { readonly [name: string]: unknown }> = (
  value,
  pointer,
  report,
) => {
  if (!isObject(value)) return jsonObject(value, pointer, report);
  if (value.type === 'agent') return agent(value, pointer, report);
  if (value.evaluation !== undefined && value.evaluation !== null)
    report(child(pointer, 'type'), 'Expected "agent": nothing else carries an evaluation profile.');
  if ('$ref' in value)
    report(
      child(pointer, '$ref'),
      'Expected the definition itself: nothing says where files are to be found.',
    );
  return passedOn(value, pointer, report);
};

function checkEvaluators(value: Json, pointer: string, report: Report): void {
  if (typeof value !== 'object' || value === null) return;
  const { type, evaluation_profile: profile } = isObject(value) ? value : {};
  // A string names a profile that is kept elsewhere.
  if (type === 'evaluator' && profile !== undefined && typeof profile !== 'string')
    profileB(profile, child(pointer, 'evaluation_profile'), report);
  for (const [key, member] of Object.entries(value))
    checkEvaluators(member as Json, below(pointer, key), report);
}

/** Form B of a definition: a manifest that may define several agents. */
export const manifest = closed(
  {
    apiVersion: withDefault(choice('coreason.ai/v2'), 'coreason.ai/v2'),
    kind: required(choice('Recipe', 'Agent')),
    // Up to 0.21 the metadata took any member, later ones only some: open is what takes both.
    metadata: required(open({ name: required(text), version: withDefault(text, '0.1.0') })),
    interface: withDefault(interfaceReader, {}),
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
    workflow: required(closed({ start: required(text), steps: required(mapOf(passedOn)) })),
  },
  ({ definitions = {} }, pointer, report) => {
    for (const [key, { type, id }] of Object.entries(definitions)) {
      if (type === 'agent' && id !== key)
        report(
          child(below(child(pointer, 'definitions'), key), 'id'),
          'Expected the id of the agent to equal its key in definitions.',
        );
    }
  },
);
/** A manifest of form B, with every default filled in. */
export type ManifestV2 = ValueOf<typeof manifest>;
/** A manifest of form B as its author writes it. */
export type ManifestInput = InputOf<typeof manifest>;

/** The agents of a manifest, in the order of its definitions. */
export const agentsOf = ({ definitions }: ManifestV2): readonly ManifestAgent[] =>
  Object.values(definitions).filter((entry) => entry.type === 'agent') as ManifestAgent[];
