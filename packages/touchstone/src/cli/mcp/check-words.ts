import type { JsonObject } from '@touchstone/protocol';
import type { CheckName } from '@touchstone/protocol/bodies';

type Words = {
  /** Completes "is met when". */
  readonly metWhen: string;
  /** Arguments that a suite could give. */
  readonly example: JsonObject;
};

/** What each check is for. `docs/checks.md` tells more. */
export const CHECK_WORDS: { readonly [name in CheckName]: Words } = {
  contains: {
    metWhen: 'the text of the answer holds all of "text"; with "any", at least one of the list',
    example: { text: 'friday', ignoreCase: true },
  },
  excludes: {
    metWhen: 'the text of the answer holds none of "text"',
    example: { text: ['sorry', 'cannot'] },
  },
  equals: {
    metWhen: 'the answer is "value", or one of "anyOf", after the foldings that are asked for',
    example: { value: 'Paris', ignoreCase: true, trim: true },
  },
  'starts-with': { metWhen: 'the answer begins with one of "text"', example: { text: 'Yes', trim: true } },
  'ends-with': {
    metWhen: 'the answer ends with one of "text"',
    example: { text: 'Paris', ignorePunctuation: true },
  },
  regex: {
    metWhen:
      'the pattern (RE2) is found; "min" and "max" count matches, "equals" compares what a group caught, "absent" turns it round',
    example: { pattern: '^[0-9]{4}$' },
  },
  length: { metWhen: 'the answer is so long, by "unit"', example: { max: 280, unit: 'characters' } },
  number: {
    metWhen: 'a number in the answer is "value" within "by" or "percent", or lies from "min" to "max"',
    example: { value: 42, by: 0.5, pick: 'last' },
  },
  distance: {
    metWhen: 'the answer differs from the nearest "text" by at most "max" edits, or is similar to "min"',
    example: { text: 'kitten', max: 3 },
  },
  overlap: {
    metWhen: 'so many words of the answer are those of "text", by "metric"',
    example: { text: 'the cat sat on the mat', metric: 'rouge-l', min: 0.7 },
  },
  cites: { metWhen: 'the answer holds at least one of the sources', example: { source: 'policy.md' } },
  refused: { metWhen: 'the agent refuses', example: {} },
  'not-refused': { metWhen: 'the agent does not refuse', example: {} },
  format: { metWhen: 'the whole trimmed answer is in this format', example: { is: 'date' } },
  json: { metWhen: 'the answer is JSON, or text that parses as JSON', example: { fenced: true } },
  schema: { metWhen: 'the answer fits a JSON Schema', example: { schema: { type: 'object' } } },
  'contains-json': {
    metWhen: 'some JSON in the text parses, and fits "schema" if there is one',
    example: {},
  },
  'json-subset': {
    metWhen: 'the answer holds what "value" describes; more is allowed',
    example: { value: { status: 'shipped' } },
  },
  latency: { metWhen: 'the agent took at most so many milliseconds', example: { maxMs: 2_000 } },
  cost: { metWhen: 'the cost is known and at most this', example: { maxUsd: 0.01 } },
  tokens: { metWhen: 'the reported tokens are at most this', example: { max: 1_000, of: 'total' } },
  'tool-called': {
    metWhen: 'the agent calls the tool so often, with inputs that fit',
    example: { tool: 'shop:orders.get', inputs: { orderId: '1042' } },
  },
  'tool-not-called': { metWhen: 'no call fits', example: { tool: 'shop:*' } },
  'tool-sequence': {
    metWhen: 'the calls are these steps, by "order"',
    example: { steps: ['shop:orders.get', 'shop:mail.send'], order: 'in-order' },
  },
  'tool-no-repeat': { metWhen: 'no tool is called twice with equal inputs', example: { tool: '*' } },
  'tool-valid': {
    metWhen: 'no call was forbidden, and inputs fit the schema of the tool where it is known',
    example: {},
  },
  turns: { metWhen: 'the agent gave so many answers in a conversation', example: { max: 6 } },
  any: {
    metWhen: 'at least one of these checks is met',
    example: { of: [{ contains: { text: 'yes' } }, { contains: { text: 'sure' } }] },
  },
  all: {
    metWhen: 'the met share of the weight of these checks reaches "min"; without it, all are met',
    example: { of: [{ contains: { text: 'yes' } }, { length: { max: 80 } }] },
  },
  scorer: {
    metWhen: 'a program of the configuration gives at least "min"',
    example: { name: 'tone', min: 0.7 },
  },
  similar: {
    metWhen: 'the configured embedder finds the meaning near enough',
    example: { text: 'It arrives on Friday.', min: 0.8 },
  },
  judge: {
    metWhen:
      'the judge finds that the sentence "says" holds; the judge may also see calls, memory or a reference',
    example: { sees: ['calls'], reference: 'It arrives on Friday.' },
  },
};
