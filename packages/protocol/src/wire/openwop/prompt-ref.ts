import { type AnyObject, anyObject, closed, plain, published, text, type Wire } from '../schema/build.js';

const ID = '[a-z0-9][a-z0-9._-]{0,127}';
const SEMVER = '\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?';

/** The reference as one string. */
const short = text('Written short: prompt:<template>, with @<version> to pin it.', {
  pattern: `^prompt:${ID}(@${SEMVER})?$`,
});

/** The reference as an object, for a library or for variables. */
const long = closed(
  {
    /** The template's id in its library. */
    templateId: text('The template.', { pattern: `^${ID}$` }),
  },
  {
    /** The library; the agent's `promptLibraryRef` when absent. */
    libraryId: text('The library it is in.', { pattern: `^${ID}$` }),
    /** The template's version; the newest when absent. */
    version: text('Its version.', { pattern: `^${SEMVER}$` }),
    /** Values of the template's variables, by name; its defaults when absent. */
    variableOverrides: anyObject('Values for its variables.'),
  },
  { description: 'Written out.' },
);

/** The two forms as one type: a string that begins with `prompt:`, or an object. */
type PromptRef =
  | string
  | { libraryId?: string; templateId: string; version?: string; variableOverrides?: AnyObject };

/** The protocol's schema of a reference to a prompt template. This host has no prompt libraries. */
export const promptRef = plain<PromptRef>({
  ...published('prompt-ref', 'PromptRef', 'A prompt template, named.'),
  oneOf: [short, long],
});
/** A prompt that is named instead of written out. */
export type PromptRefWire = Wire<typeof promptRef>;
