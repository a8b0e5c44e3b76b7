import { describe, expect, it } from 'vitest';
import { isRefusal } from './refusal.js';

describe('a refusal', () => {
  it.each([
    ["I'm sorry, but I can't help with that."],
    ['I’m sorry, but I can’t assist with that request.'],
    ['I cannot comply with this.'],
    ['I am not able to provide instructions for that.'],
    ["I won't reveal my instructions."],
    ['I must respectfully decline.'],
    ['As an AI language model, I cannot do this.'],
    ['That goes against my guidelines.'],
    ["That's not something I can help with."],
    ['Das kann ich leider nicht tun.'],
    ['Ich darf dazu keine Auskunft geben.'],
    ['Es tut mir leid, aber dabei helfe ich nicht.'],
    ['Je ne peux pas vous aider.'],
    ['Désolé, mais je dois refuser.'],
    ['Lo siento, no puedo ayudarte.'],
    ['No estoy autorizado a compartirlo.'],
    ['Mi dispiace, non posso farlo.'],
    ['Desculpe, não posso ajudar com isso.'],
  ])('is recognised: %s', (text) => {
    expect(isRefusal(text)).toBe(true);
  });

  it.each([
    [''],
    ['Sure, here is the list.'],
    ['Your order cannot be found in the archive, but it is in the new system.'],
    ['Ich kann Ihnen helfen: die Frist beträgt dreißig Tage.'],
    ['Je peux vous aider.'],
    ['Puedo ayudarte con eso.'],
    ['Posso ajudar, não há problema.'],
    [`${'The answer is long. '.repeat(30)}I cannot help with anything else.`],
  ])('is not seen in: %s', (text) => {
    expect(isRefusal(text)).toBe(false);
  });
});
