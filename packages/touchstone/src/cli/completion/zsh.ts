import { valueCases, valuePattern, verbCases } from './cases.js';
import type { OptionWord, ProgramWords, VerbWords, Word } from './program-words.js';

/** The script for zsh: sourced, or as `_touchstone` in a folder of `fpath`. */
export const zshScript = (all: ProgramWords): string => `#compdef touchstone
_touchstone() {
  local at='' before=\${words[CURRENT-1]} index=2
  local -a values options names
  while (( index < CURRENT )); do
    case "$at \${words[index]}" in
${verbCases(all)}
      ${valuePattern(all)}) (( index += 1 )) ;;
    esac
    (( index += 1 ))
  done
  if [[ $PREFIX == --*=* ]]; then before=\${PREFIX%%=*}; compset -P '*='; fi
  case "$at $before" in
${valueCases(all, (values) => `values=(${values.join(' ')})`, '_files; return')}
  esac
  if (( $#values )); then compadd -- $values; return; fi
  case "$at" in
${all.verbs.map(verbCase).join('\n')}
  esac
  options+=(${all.everywhere.flatMap(described).join(' ')})
  if [[ $PREFIX == -* ]]; then _describe -o option options; return; fi
  if (( $#names )); then _describe word names; fi
  if [[ -n $at ]]; then _files; fi
}
if [[ $funcstack[1] == _touchstone ]]; then _touchstone "$@"; else compdef _touchstone touchstone; fi
`;

const item = ({ name, says }: Word): string => `'${name}:${says.replaceAll("'", `'\\''`)}'`;
const described = ({ names, says }: OptionWord): string[] => names.map((name) => item({ name, says }));

const verbCase = ({ path, words, options }: VerbWords): string => `    '${path}')
      names=(${words.map(item).join(' ')})
      options=(${options.flatMap(described).join(' ')}) ;;`;
