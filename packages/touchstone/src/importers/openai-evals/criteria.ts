import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import type { Expectation, ItemCollector, SourcePointer } from '../imported.js';
import { lookUp, wordOf } from '../nodes.js';
import type { Graders } from './graders.js';
import { answerPointer, fillItem } from './templates.js';

export type CriterionScope = {
  readonly at: SourcePointer;
  /** What the task is about: criteria name its members. */
  readonly item: Json;
  readonly items: ItemCollector;
  readonly graders: Graders;
};

type Convert = (criterion: JsonObject, scope: CriterionScope) => Expectation | undefined;

/** The check that a testing criterion becomes; undefined when it is lost, which the items say. */
export const convertCriterion: Convert = (criterion, scope) => {
  const type = wordOf(criterion.type);
  const convert = lookUp(CRITERIA, type);
  const entry = convert?.(criterion, scope);
  if (entry === undefined) scope.items.lost(scope.at, `criterion ${type}: nothing here stands for it`);
  return entry;
};

/** The text that the answer is compared with, and the part of the answer. */
function sidesOf({ input, reference }: JsonObject, { item }: CriterionScope) {
  const pointer = typeof input === 'string' ? answerPointer(input) : undefined;
  const text = typeof reference === 'string' ? fillItem(reference, item) : undefined;
  if (pointer === undefined || text === undefined) return undefined;
  return { text, part: pointer === '' ? {} : { at: pointer } };
}

const stringCheck: Convert = (criterion, scope) => {
  const sides = sidesOf(criterion, scope);
  if (!sides) return undefined;
  const { text, part } = sides;
  switch (criterion.operation) {
    case 'eq':
      return { equals: { value: text, ...part } };
    case 'ne':
      return { equals: { value: text, ...part, not: true } };
    case 'like':
      return { contains: { text, ...part } };
    case 'ilike':
      return { contains: { text, ...part, ignoreCase: true } };
    default:
      return undefined;
  }
};

const ROUGE: { readonly [metric: string]: string } = {
  rouge_1: 'rouge-1',
  rouge_2: 'rouge-2',
  rouge_l: 'rouge-l',
};

const textSimilarity: Convert = (criterion, scope) => {
  const sides = sidesOf(criterion, scope);
  const { evaluation_metric: metric, pass_threshold: min } = criterion;
  if (!sides || typeof min !== 'number') return undefined;
  const { text, part } = sides;
  const { items, at } = scope;
  const what = `criterion text_similarity by ${wordOf(metric)}`;
  const rouge = lookUp(ROUGE, wordOf(metric));
  if (rouge !== undefined) {
    items.changed(at, `${what}: the words are told apart in another way`, 'check overlap');
    return { overlap: { text, metric: rouge, min, ...part } };
  }
  if (metric === 'cosine') {
    items.changed(at, `${what}: this host's embedder decides, which has to be configured`, 'check similar');
    return { similar: { text, min, ...part } };
  }
  if (metric !== 'fuzzy_match') return undefined;
  items.changed(at, `${what}: similarity is counted in another way`, 'check distance');
  return { distance: { text, min, ...part } };
};

/** The texts of a prompt for a model that grades, about this item and the answer. */
function promptOf({ input }: JsonObject, item: Json): string | undefined {
  const messages = Array.isArray(input) ? (input as readonly Json[]) : [input ?? null];
  const texts = messages.flatMap((message) => {
    const content = isObject(message) ? message.content : message;
    const text = isObject(content) ? content.text : content;
    return typeof text === 'string' ? [text] : [];
  });
  return fillItem(texts.join('\n'), item, 'the answer');
}

const MODEL = 'a model decides it there by its own question';

const scoreModel: Convert = (criterion, { at, item, items }) => {
  const says = promptOf(criterion, item);
  if (says === undefined || says.trim() === '') return undefined;
  const { pass_threshold: bar, range } = criterion;
  const [low, high] = Array.isArray(range) ? (range as readonly number[]) : [0, 1];
  const min = typeof bar === 'number' ? (bar - (low ?? 0)) / ((high ?? 1) - (low ?? 0)) : undefined;
  items.changed(at, `criterion score_model: ${MODEL}`, "a question to this host's judge");
  return { judge: min === undefined ? {} : { min }, says };
};

const labelModel: Convert = (criterion, { at, item, items }) => {
  const prompt = promptOf(criterion, item);
  const { passing_labels: labels } = criterion;
  if (prompt === undefined || !Array.isArray(labels)) return undefined;
  items.changed(at, `criterion label_model: ${MODEL}`, "a question to this host's judge");
  return { judge: {}, says: `${prompt}\nThe right label is ${(labels as readonly Json[]).join(' or ')}.` };
};

const python: Convert = ({ source, pass_threshold: min }, { at, item, items, graders }) => {
  if (typeof source !== 'string') return undefined;
  items.changed(at, 'criterion python: code', 'a scorer', 'Read scorers/ before you run it.');
  return { scorer: { name: graders.add(source), config: { item }, ...(typeof min === 'number' && { min }) } };
};

const CRITERIA: { readonly [type: string]: Convert } = {
  string_check: stringCheck,
  text_similarity: textSimilarity,
  score_model: scoreModel,
  label_model: labelModel,
  python,
};
