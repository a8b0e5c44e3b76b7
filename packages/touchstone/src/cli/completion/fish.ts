import type { OptionWord, ProgramWords, VerbWords, Word } from './program-words.js';

/** The script for fish: sourced, or as `touchstone.fish` in its folder of completions. */
export const fishScript = (all: ProgramWords): string => `# touchstone completion fish
function __touchstone_at
    set -l at ''
    set -l skips 0
    for word in (commandline -opc)[2..-1]
        if test $skips = 1
            set skips 0
        else if contains -- $word ${valueNames(all).join(' ')}
            set skips 1
        else if contains -- (string trim "$at $word") ${verbPaths(all).map(quoted).join(' ')}
            set at (string trim "$at $word")
        end
    end
    test "$at" = "$argv[1]"
end
complete -c touchstone -e
${all.everywhere.map((option) => `complete -c touchstone ${optionWords(option)}`).join('\n')}
${all.verbs.flatMap(verbLines).join('\n')}
`;

const verbPaths = ({ verbs }: ProgramWords): string[] =>
  verbs.map(({ path }) => path).filter((path) => path !== '');
const valueNames = ({ everywhere }: ProgramWords): string[] =>
  everywhere.filter(({ needsValue }) => needsValue).flatMap(({ names }) => names);

/** No files where a verb or one of a few words has to come next. */
const verbLines = ({ path, words, options }: VerbWords): string[] => {
  const here = `complete -c touchstone -n "__touchstone_at '${path}'"`;
  return [
    ...words.map((word) => `${here} ${word.orFile ? '' : '-f '}${wordWords(word)}`),
    ...options.map((option) => `${here} ${optionWords(option)}`),
  ];
};

const wordWords = ({ name, says }: Word): string => `-a ${quoted(name)} -d ${quoted(says)}`;

const optionWords = ({ names, says, needsValue, values }: OptionWord): string =>
  [
    ...names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)),
    ...(values.length > 0 ? [`-x -a ${quoted(values.join(' '))}`] : needsValue ? ['-r'] : []),
    `-d ${quoted(says)}`,
  ].join(' ');

const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
