import type { OptionWord, ProgramWords, VerbWords } from './program-words.js';

// The branches of `case` that bash and zsh share. Each looks at the verbs so far and the word after them: `pack build`.

/** Goes on to the place that a verb leads to. */
export const verbCases = ({ verbs }: ProgramWords): string =>
  verbs
    .filter(({ path }) => path !== '')
    .map(({ path }) => `      '${path.includes(' ') ? path : ` ${path}`}') at='${path}' ;;`)
    .join('\n');

/** Options that every verb has, whose value must not be taken for a verb. */
export const valuePattern = ({ everywhere }: ProgramWords): string =>
  everywhere
    .filter(({ needsValue }) => needsValue)
    .flatMap(({ names }) => names)
    .map(afterAnything)
    .join('|');

/** What an option takes: values of a list, or anything, which may be a file. */
export function valueCases(
  { verbs, everywhere }: ProgramWords,
  listed: (values: readonly string[]) => string,
  open: string,
): string {
  const line = ({ names, values }: OptionWord, pattern: (name: string) => string): string =>
    `    ${names.map(pattern).join('|')}) ${values.length > 0 ? listed(values) : open} ;;`;
  const ofVerb = ({ path, options }: VerbWords): string[] =>
    options.filter(needsValue).map((option) => line(option, (name) => `'${path} ${name}'`));
  return [
    ...everywhere.filter(needsValue).map((option) => line(option, afterAnything)),
    ...verbs.flatMap(ofVerb),
  ].join('\n');
}

const needsValue = (option: OptionWord): boolean => option.needsValue;
const afterAnything = (name: string): string => `*' ${name}'`;
