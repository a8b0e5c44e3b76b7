import type { Command } from 'commander';
import { bashScript } from '../../completion/bash.js';
import { fishScript } from '../../completion/fish.js';
import { type ProgramWords, programWords } from '../../completion/program-words.js';
import { zshScript } from '../../completion/zsh.js';
import type { Context, ExitCode } from '../../io.js';

const SCRIPTS: { readonly [shell: string]: (words: ProgramWords) => string } = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Prints the script that completes the verbs of this program in a shell. */
export const completionOf =
  (program: Command) =>
  async ({ io }: Context, shell: string): Promise<ExitCode> => {
    io.stdout.write(SCRIPTS[shell]?.(programWords(program)) ?? '');
    return 0;
  };
