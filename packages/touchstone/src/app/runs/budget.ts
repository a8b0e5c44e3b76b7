import { type EvalPlan, type Issue, typeName } from '@touchstone/protocol';
import type { PriceOf } from '../../ports/index.js';

type Configurable = { readonly [key: string]: unknown };
type PricedModel = { readonly provider: string; readonly model: string; readonly mock?: boolean };
/** Everything of a plan that this host asks for money. */
type ModelPins = Partial<Pick<EvalPlan, 'model' | 'judge' | 'safetyJudge' | 'embedder' | 'simulatedUser'>>;

/** A budget cannot stop what nobody can count: the models of unknown price, unless the caller accepts that. */
export function budgetIssues(configurable: Configurable, plan: ModelPins, priceOf: PriceOf): Issue[] {
  const { budget, allowUnpriced } = configurable;
  if (allowUnpriced !== undefined && typeof allowUnpriced !== 'boolean')
    return [
      {
        pointer: '/configurable/allowUnpriced',
        message: `Expected true or false, got ${typeName(allowUnpriced)}.`,
      },
    ];
  if (budget === undefined || allowUnpriced) return [];
  const asked: readonly (PricedModel | undefined)[] = [
    plan.model,
    plan.judge,
    plan.safetyJudge,
    plan.embedder,
    plan.simulatedUser,
  ];
  const names = asked.flatMap((one) =>
    one && !isPriced(one, priceOf) ? [`${one.provider}/${one.model}`] : [],
  );
  return names.length === 0 ? [] : [{ pointer: '/configurable/budget', message: unpricedWords(names) }];
}

/** Answers that were written down beforehand cost nothing. */
const isPriced = ({ provider, model, mock }: PricedModel, priceOf: PriceOf): boolean =>
  mock === true ||
  priceOf({ provider, model, inputTokens: 1, outputTokens: 1 } as Parameters<PriceOf>[0]) !== undefined;

const unpricedWords = (names: readonly string[]): string =>
  `The price of ${[...new Set(names)].join(' and ')} is unknown, so no budget could stop the run. Add it to "prices" of the configuration. To run all the same: Set configurable.allowUnpriced to true.`;
