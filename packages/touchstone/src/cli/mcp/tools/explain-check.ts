import { defined, type JsonObject } from '@touchstone/protocol';
import {
  CHECK_NAMES,
  CHECKS,
  type CheckName,
  type CheckSpec,
  isCheckName,
} from '@touchstone/protocol/bodies';
import { closed, text } from '@touchstone/protocol/schema';
import { stringify } from 'yaml';
import { UsageError } from '../../io.js';
import { didYouMean } from '../../suggest.js';
import { CHECK_WORDS } from '../check-words.js';
import { explainedChecks } from '../schemas.js';
import { tool } from '../tool.js';

export const explainCheck = tool({
  name: 'explain_check',
  title: 'Explain a check',
  description:
    'Explains a check that a suite can use in "expect": when it is met, its arguments, and an example. Without a name all checks are explained.',
  readOnly: true,
  input: closed(
    {},
    { check: text('The name of a check, e.g. tool-called.', { minLength: 1, maxLength: 100 }) },
  ),
  output: explainedChecks,
  async call({ check }) {
    return { checks: (check === undefined ? CHECK_NAMES : [known(check)]).map(explained) };
  },
});

function known(check: string): CheckName {
  if (isCheckName(check)) return check;
  throw new UsageError(`There is no check ${check}.`, didYouMean(check, CHECK_NAMES, 'Checks'));
}

function explained(check: CheckName) {
  const { arguments: rules, first }: CheckSpec = CHECKS[check];
  const { metWhen, example } = CHECK_WORDS[check];
  return {
    check,
    metWhen,
    arguments: Object.entries(rules).map(([name, { trouble, required }]) => ({
      name,
      // Nothing that has to be of a type or among some words may be null.
      must: trouble(null) ?? 'be a value, or a pattern of one',
      ...defined({ required }),
    })),
    ...defined({ first }),
    example: stringify({ expect: [entryOf(check, example, first)] }),
  };
}

/** As an author writes it: the first argument stands under the name of the check, the others beside it. */
function entryOf(check: CheckName, example: JsonObject, first: string | undefined): object {
  const { [first ?? '']: value, ...others } = example;
  const says = check === 'judge' ? { says: 'The answer tells when the order arrives.' } : {};
  return { [check]: value ?? {}, ...others, ...says };
}
