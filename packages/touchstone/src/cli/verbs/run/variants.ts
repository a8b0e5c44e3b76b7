import { checkRules, type OptionRule, UsageError } from '../../io.js';
import { placesBack } from '../../run-lookup.js';
import { flagIn, type RunOptions } from './run-options.js';

/** Options that may be repeated: every combination of their values is a run of its own. */
const VARIED = ['agent', 'model', 'prompt'] as const;
type VariedOption = (typeof VARIED)[number];

/** Options of `touchstone run` as they are typed. */
export type TypedOptions = Omit<RunOptions, VariedOption> & {
  readonly [option in VariedOption]?: readonly string[];
};

/** One combination, and the options of its run. */
export type Variant = {
  /** The values that tell it from the others. */
  readonly name: string;
  readonly choices: { readonly [option: string]: string };
  readonly options: RunOptions;
};

/** In the given order: all values of the last option before the next value of the one before it. */
export function variantsOf(typed: TypedOptions): readonly Variant[] {
  const varied = VARIED.filter((option) => (typed[option]?.length ?? 0) > 1);
  for (const option of varied) checkDistinct(option, typed[option] ?? []);
  return combinations(typed).map((chosen) => {
    const choices = Object.fromEntries(varied.map((option) => [option, chosen[option] ?? '']));
    const options = { ...single(typed), ...chosen };
    return { name: Object.values(choices).join(' · '), choices, options };
  });
}

/** The options that every variant has. */
const single = (typed: TypedOptions): Omit<RunOptions, VariedOption> =>
  Object.fromEntries(
    Object.entries(typed).filter(([option]) => !(VARIED as readonly string[]).includes(option)),
  );

type Combination = { readonly [option in VariedOption]?: string };

const combinations = (typed: TypedOptions): readonly Combination[] =>
  VARIED.reduce<readonly Combination[]>(
    (before, option) =>
      before.flatMap((one) => typed[option]?.map((value) => ({ ...one, [option]: value })) ?? [one]),
    [{}],
  );

function checkDistinct(option: VariedOption, values: readonly string[]): void {
  const twice = values.find((value, at) => values.indexOf(value) !== at);
  if (twice === undefined) return;
  throw new UsageError(
    `--${option} ${twice} is given twice.`,
    'To see how much chance there is in a score, run every task several times: --repeats 5',
  );
}

const MATRIX_RULES: readonly OptionRule<TypedOptions>[] = [
  {
    wrong: (typed) => flagIn(typed, 'resume', 'watch', 'record', 'promote', 'dryRun'),
    message: '% is about one run, and repeated options make several.',
    hint: 'Leave % out, or name one agent and one model.',
  },
  {
    wrong: ({ baseline, failed, ...typed }) =>
      VARIED.some((option) => option !== 'agent' && (typed[option]?.length ?? 0) > 1) &&
      ((placesBack(baseline ?? '') !== undefined && '--baseline last') ||
        ((failed === true || failed === 'last') && '--failed')),
    message: '% would look up the newest run of the agent, which is the variant before.',
    hint: 'Name a run by its id. Each variant is compared with the first one anyway.',
  },
];

/** What cannot be done to several runs at once. */
export const checkMatrix = (typed: TypedOptions): void => checkRules(MATRIX_RULES, typed);
