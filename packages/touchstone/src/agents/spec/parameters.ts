import { defined, type Issue, type ModelParameters, REASONING_EFFORTS } from '@touchstone/protocol';
import {
  choice,
  closed,
  either,
  integer,
  list,
  number,
  schemaIssues,
  type Wire,
} from '@touchstone/protocol/schema';
import { below, filled } from './members.js';

const penalty = number(undefined, { minimum: -2, maximum: 2 });
const stopText = filled(100);

/** How the model of an agent is asked. What a provider does not take it refuses itself, with an error of its own. */
export const parameters = closed(
  {},
  {
    temperature: number(undefined, { minimum: 0, maximum: 2 }),
    topP: number(undefined, { minimum: 0, maximum: 1 }),
    maxTokens: integer(undefined, { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    seed: integer(undefined, { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
    stop: either(stopText, list(stopText, undefined, { minItems: 1, maxItems: 4 })),
    frequencyPenalty: penalty,
    presencePenalty: penalty,
    reasoningEffort: choice(REASONING_EFFORTS),
  },
);

/** As a plan holds them: several texts to stop at, or none. */
export const parametersOf = ({ stop, ...rest }: Wire<typeof parameters> = {}): ModelParameters =>
  defined({ ...rest, stop: stop === undefined ? undefined : [stop].flat() });

export const parameterIssues = (value: unknown, pointer: string): readonly Issue[] =>
  below(pointer, schemaIssues(parameters, value));
