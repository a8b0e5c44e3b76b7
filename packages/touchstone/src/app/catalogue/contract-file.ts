import type { PinnedContract } from '@touchstone/protocol/bodies';
import { profileSchemas, type Shape, shapeIssues } from '@touchstone/protocol/wire';
import { checkForeignSchema } from '../../agents/index.js';
import type { Suite } from '../../ports/index.js';
import { readContract } from '../../profiles/index.js';
import { pinContract } from './profiles.js';

/** The contract of a compiled suite, from the text of its file. One that is not this suite's is refused. */
export const openContract = (text: string, file: string, suite: Suite): PinnedContract =>
  pinContract(
    readContract(text, suite, {
      file,
      shapeIssues: (value) => shapeIssues(SHAPE, value),
      schemaIssues: checkForeignSchema,
    }),
  );

const SHAPE = profileSchemas['urn:touchstone:eval-contract'] as unknown as Shape;
