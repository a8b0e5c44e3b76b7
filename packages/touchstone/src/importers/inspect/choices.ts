import type { Json } from '@touchstone/protocol';
import type { ItemCollector } from '../imported.js';
import { itemsOf, member, text } from '../nodes.js';
import type { Sample } from './log-source.js';
import { textOfMessage } from './messages.js';

const letterOf = (at: number): string => String.fromCharCode('A'.charCodeAt(0) + at);

type Question = {
  readonly input: Json;
  /** Whether the letters of the recorded answer are those of the target. */
  readonly hasLetters: boolean;
};

/** A question with choices is what the model was really asked; a solver had written the choices below the question. */
export function withChoices(input: Json, sample: Sample, items: ItemCollector): Question {
  const { node, messages, attachments } = sample;
  const choices = itemsOf(member(node, 'choices')).map((choice) => text(choice) ?? '');
  if (choices.length === 0) return { input, hasLetters: true };
  const prompt = messages.find((message) => text(member(message, 'role')) === 'user');
  const asked = prompt ? textOfMessage(prompt, attachments, items) : '';
  if (choices.every((choice, at) => asked.includes(`${letterOf(at)}) ${choice}`)))
    return { input: asked, hasLetters: true };
  items.changed(
    member(node, 'choices').at,
    'choices that were shuffled, or put by a template of their own',
    'a question with the choices in the order of the sample; the recorded answer is left out',
  );
  return { input: questionOf(input, choices), hasLetters: false };
}

export const questionOf = (input: Json, choices: readonly string[]): string =>
  [
    typeof input === 'string' ? input : JSON.stringify(input),
    '',
    ...choices.map((choice, at) => `${letterOf(at)}) ${choice}`),
    '',
    'End with a line of the form "ANSWER: <letter>".',
  ].join('\n');
