import { anyObject, object, published, type Wire } from '../../schema/build.js';
import { agentPayloads } from './agent.js';
import { evalPayloads } from './eval.js';
import { governancePayloads } from './governance.js';
import { moneyPayloads } from './money.js';
import { runPayloads } from './run.js';
import { errorObject, inputsObject, outputsObject } from './shared.js';

/** The payload of every event this host writes or will write, by event type. */
const payloads = {
  ...runPayloads,
  ...agentPayloads,
  ...evalPayloads,
  ...moneyPayloads,
  ...governancePayloads,
};

/** The type of an event whose payload has a schema here, e.g. `eval.scored`. */
export type PayloadType = keyof typeof payloads;
/** The payload of one event type: `PayloadWire<'eval.scored'>`. */
export type PayloadWire<T extends PayloadType> = Wire<(typeof payloads)[T]>;

/** Every event type whose payload has a schema here. */
export const PAYLOAD_TYPES = Object.keys(payloads) as readonly PayloadType[];

/** The protocol names a definition after its event type: `agent.reasoning.delta` is `agentReasoningDelta`. */
const definitionOf = (type: string): string =>
  type.replace(/[.-]([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Where the schema of a payload is, as a reference inside `run-event-payloads`. */
export const payloadRef = (type: PayloadType): string => `#/$defs/${definitionOf(type)}`;

/** By event type, a reference to the schema of its payload. */
const index = Object.fromEntries(PAYLOAD_TYPES.map((type) => [type, { $ref: payloadRef(type) }]));
const definitions = Object.fromEntries(PAYLOAD_TYPES.map((type) => [definitionOf(type), payloads[type]]));

/** The protocol's schemas of event payloads, as far as this host writes or reads them. */
export const runEventPayloads = anyObject(undefined, {
  ...published('run-event-payloads', 'RunEventPayloads', 'What each type of event carries.'),
  $defs: {
    _typeIndex: object({}, index, { additionalProperties: false }),
    _errorObject: errorObject,
    _inputsObject: inputsObject,
    _outputsObject: outputsObject,
    ...definitions,
  },
});
