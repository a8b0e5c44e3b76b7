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

export type PayloadType = keyof typeof payloads;
export type PayloadWire<T extends PayloadType> = Wire<(typeof payloads)[T]>;

export const PAYLOAD_TYPES = Object.keys(payloads) as readonly PayloadType[];

/** The protocol names a definition after its event type: `agent.reasoning.delta` is `agentReasoningDelta`. */
const definitionOf = (type: string): string =>
  type.replace(/[.-]([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const payloadRef = (type: PayloadType): string => `#/$defs/${definitionOf(type)}`;

const index = Object.fromEntries(PAYLOAD_TYPES.map((type) => [type, { $ref: payloadRef(type) }]));
const definitions = Object.fromEntries(PAYLOAD_TYPES.map((type) => [definitionOf(type), payloads[type]]));

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
