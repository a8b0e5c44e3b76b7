import { anyObject, closed, name, published, type Wire } from '../schema/build.js';

export const errorEnvelope = closed(
  { error: name('The code, for programs.'), message: name('What happened and what to do, for people.') },
  { details: anyObject('Further facts: the field, the limit, the list of issues.') },
  published('error-envelope', 'ErrorEnvelope', 'The body of every answer that is not a success.'),
);
/** Every refusal of the API. `error` is a code of the catalogue. */
export type ErrorEnvelopeWire = Wire<typeof errorEnvelope>;
