import { type AnyObject, anyObject, closed, plain, published, text, type Wire } from '../schema/build.js';

const ID = '[a-z0-9][a-z0-9._-]{0,127}';
const SEMVER = '\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?';

const short = text('Written short: prompt:<template>, with @<version> to pin it.', {
  pattern: `^prompt:${ID}(@${SEMVER})?$`,
});

const long = closed(
  { templateId: text('The template.', { pattern: `^${ID}$` }) },
  {
    libraryId: text('The library it is in.', { pattern: `^${ID}$` }),
    version: text('Its version.', { pattern: `^${SEMVER}$` }),
    variableOverrides: anyObject('Values for its variables.'),
  },
  { description: 'Written out.' },
);

type PromptRef =
  | string
  | { libraryId?: string; templateId: string; version?: string; variableOverrides?: AnyObject };

export const promptRef = plain<PromptRef>({
  ...published('prompt-ref', 'PromptRef', 'A prompt template, named.'),
  oneOf: [short, long],
});
/** A prompt that is named instead of written out. */
export type PromptRefWire = Wire<typeof promptRef>;
