import type { Command, Option } from 'commander';

/** What can be typed after some verbs, read from the definitions of the commands. */
export type VerbWords = {
  /** The verbs so far: empty at the beginning, `pack build` after both. */
  readonly path: string;
  /** Verbs that go on from here, and closed values of arguments. */
  readonly words: readonly Word[];
  /** Options of this place; those of every verb stand apart. */
  readonly options: readonly OptionWord[];
};
export type Word = {
  readonly name: string;
  readonly says: string;
  /** A file may stand there as well. */
  readonly orFile?: boolean;
};
export type OptionWord = {
  /** As they are typed: `-o`, `--out`. */
  readonly names: readonly string[];
  readonly says: string;
  readonly needsValue: boolean;
  /** The values that there are, when the list is closed. */
  readonly values: readonly string[];
};
export type ProgramWords = {
  readonly verbs: readonly VerbWords[];
  readonly everywhere: readonly OptionWord[];
};

export const programWords = (program: Command): ProgramWords => ({
  verbs: verbsBelow(program, ''),
  everywhere: program.createHelp().visibleOptions(program).map(optionWord),
});

function verbsBelow(command: Command, path: string): VerbWords[] {
  const verbs = command.createHelp().visibleCommands(command);
  const own = command.parent ? command.options.filter(({ hidden }) => !hidden) : [];
  return [
    { path, words: [...wordsOf(verbs), ...valuesOf(command)], options: own.map(optionWord) },
    ...verbs.flatMap((verb) => {
      const below = `${path} ${verb.name()}`.trim();
      const isHelp = !command.commands.includes(verb);
      return isHelp
        ? [{ path: below, words: wordsOf(command.commands), options: [] }]
        : verbsBelow(verb, below);
    }),
  ];
}

const wordsOf = (verbs: readonly Command[]): Word[] =>
  verbs.map((verb) => ({ name: verb.name(), says: verb.summary() || verb.description() }));

const valuesOf = ({ registeredArguments }: Command): Word[] =>
  registeredArguments.flatMap(({ argChoices = [], description, variadic }) =>
    argChoices.map((name) => ({ name, says: description, orFile: variadic })),
  );

const optionWord = ({ short, long, description, required, argChoices }: Option): OptionWord => ({
  names: [short, long].filter((name) => name !== undefined && name !== null),
  says: description,
  needsValue: required,
  values: argChoices ?? [],
});
