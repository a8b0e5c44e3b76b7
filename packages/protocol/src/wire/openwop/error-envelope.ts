import { anyObject, closed, name, published, type Wire } from '../schema/build.js';

/** The protocol's schema of an error body. */
export const errorEnvelope = closed(
  {
    /** A code of `ERROR_STATUS`, e.g. `validation_error`. Its meaning never changes; programs decide by it. */
    error: name('The code, for programs.'),
    /** A sentence for people. It may be reworded and quotes no value of the request. */
    message: name('What happened and what to do, for people.'),
  },
  {
    /** Depends on the code, e.g. `field` and `issues` of a `validation_error`; absent when there is nothing to add. */
    details: anyObject('Further facts: the field, the limit, the list of issues.'),
  },
  published('error-envelope', 'ErrorEnvelope', 'The body of every answer that is not a success.'),
);
/** Every refusal of the API. `error` is a code of the catalogue. */
export type ErrorEnvelopeWire = Wire<typeof errorEnvelope>;
