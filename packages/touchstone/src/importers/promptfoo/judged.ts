import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { type Assertion, type Converter, lost, type Outcome } from './assertion.js';

const CHANGED = "this host's judge decides, by its own question";

const asText = (value: Json | undefined): string =>
  typeof value === 'string' ? value.trim() : value == null ? '' : JSON.stringify(value);

/** A question to the judge. A threshold makes it a matter of degree. */
const judge = (says: string, { threshold }: Pick<Assertion, 'threshold'>, args: JsonObject = {}): Outcome =>
  says === ''
    ? lost('without a criterion')
    : {
        check: 'judge',
        args: { ...args, ...(threshold !== undefined && { min: threshold }) },
        says,
        changed: CHANGED,
      };

const criterion: Converter = (given) => judge(asText(given.value), given);

const DEFAULT_GEVAL = 0.7;

const gEval: Converter = ({ value, threshold = DEFAULT_GEVAL }) => {
  const steps = Array.isArray(value) ? (value as readonly Json[]).map(asText) : [asText(value)];
  return judge(steps.filter((step) => step !== '').join('\n'), { threshold });
};

const factuality: Converter = (given) =>
  given.value === undefined
    ? lost('without a reference')
    : judge('The answer agrees with the facts of the reference.', given, { reference: given.value });

/** About the context that a test hands over in a variable. */
const ofContext =
  (says: string): Converter =>
  (given) => {
    const { context } = given.vars;
    return context === undefined
      ? lost('without a variable "context"')
      : judge(says, given, { reference: context });
  };

const contextRecall: Converter = (given) => {
  const { context } = given.vars;
  if (context === undefined || given.value === undefined)
    return lost('without a variable "context" and a value');
  const reference = { context, facts: given.value };
  return judge('The context in the reference has all of the facts in the reference.', given, { reference });
};

const goalSuccess: Converter = (given) => {
  const goal = isObject(given.value) ? (given.value as JsonObject).goal : given.value;
  const says = asText(goal);
  return says === ''
    ? lost('without a goal')
    : judge(`The agent reaches this goal: ${says}`, given, { sees: ['calls'] });
};

/** Assertions that a model decides, there as here. */
export const JUDGED_CHECKS: { readonly [type: string]: Converter } = {
  'llm-rubric': criterion,
  'model-graded-closedqa': criterion,
  'g-eval': gEval,
  factuality,
  'model-graded-factuality': factuality,
  'answer-relevance': (given) => judge('The answer is about what was asked.', given),
  'context-faithfulness': ofContext(
    'Everything that the answer says is supported by the context in the reference.',
  ),
  'context-relevance': ofContext('The context in the reference is about what was asked.'),
  'context-recall': contextRecall,
  'conversation-relevance': (given) =>
    judge('Each answer of the conversation is about what the user said.', given),
  'trajectory:goal-success': goalSuccess,
};
