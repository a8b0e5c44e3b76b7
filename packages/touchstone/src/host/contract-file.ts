import type { PinnedContract } from '@touchstone/contract/bodies';
import type { Suite } from '@touchstone/contract/ports';
import { profileSchemas } from '@touchstone/contract/wire';
import { checkForeignSchema } from '../agents/index.js';
import { readContract } from '../suites/index.js';
import { pinContract } from './profiles.js';
import { type Shape, shapeIssues } from './shape.js';

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
