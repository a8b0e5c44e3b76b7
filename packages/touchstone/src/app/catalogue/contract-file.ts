import type { PinnedContract } from '@touchstone/protocol/bodies';
import { schemaIssues } from '@touchstone/protocol/schema';
import { profileSchemas } from '@touchstone/protocol/wire';
import { checkForeignSchema } from '../../agents/index.js';
import type { Suite } from '../../ports/index.js';
import { readContract } from '../../profiles/index.js';
import { pinContract } from './profiles.js';

/** The contract of a compiled suite, from the text of its file. One that is not this suite's is refused. */
export const openContract = (text: string, file: string, suite: Suite): PinnedContract =>
  pinContract(
    readContract(text, suite, {
      file,
      shapeIssues: (value) => schemaIssues(CONTRACT, value),
      schemaIssues: checkForeignSchema,
    }),
  );

const CONTRACT = profileSchemas['urn:touchstone:eval-contract'];
