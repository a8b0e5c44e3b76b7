import { valueCases, valuePattern, verbCases } from './cases.js';
import type { OptionWord, ProgramWords, VerbWords } from './program-words.js';

/**
 * The script for bash, from version 3.2 on, which macOS has. Where it offers nothing, readline offers files.
 * Everything is in the script: a process for each press of the key would be slow.
 */
export const bashScript = (all: ProgramWords): string => `# touchstone completion bash
_touchstone() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at='' index=1 values='' options='' words=''
  # --to=active comes as three words.
  if [ "$word" = '=' ]; then word=''; elif [ "$before" = '=' ]; then before=\${COMP_WORDS[COMP_CWORD-2]}; fi
  while [ "$index" -lt "$COMP_CWORD" ]; do
    case "$at \${COMP_WORDS[index]}" in
${verbCases(all)}
      ${valuePattern(all)})
        index=$((index + 1))
        if [ "\${COMP_WORDS[index]}" = '=' ]; then index=$((index + 1)); fi ;;
    esac
    index=$((index + 1))
  done
  case "$at $before" in
${valueCases(all, (values) => `values='${values.join(' ')}'`, 'return')}
  esac
  if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "$word")); return; fi
  case "$at" in
${all.verbs.map(verbCase).join('\n')}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options ${all.everywhere.flatMap(typed).join(' ')}" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
  esac
}
complete -o default -F _touchstone touchstone
`;

const typed = ({ names }: OptionWord): readonly string[] => names;

const verbCase = ({ path, words, options }: VerbWords): string =>
  `    '${path}') words='${words.map(({ name }) => name).join(' ')}' options='${options.flatMap(typed).join(' ')}' ;;`;
