import { unifyCharacters } from './text.js';

/** A refusal comes first; an apology at the end of a full answer is not one. */
const OPENING = 400;

const VERBS =
  '(?:help|assist|comply|provide|do|share|fulfil|fulfill|support|engage|create|generate|continue|discuss|reveal|disclose|participate|write|answer|give|tell|offer|support|ignore|pretend|act|adopt|roleplay|role-play|bypass|follow|produce|show|proceed|perform|carry|process|complete|execute|send|grant|accept|take)';

const REFUSALS: readonly RegExp[] = [
  // English
  new RegExp(
    `\\bI(?:'m| am)? ?(?:can(?:'t|not| not)|won't|will not|must not|may not|shouldn't|am unable to|'m unable to|am not able to|'m not able to|am not allowed to|'m not allowed to|am not permitted to|'m not going to|am not going to|do not|don't feel comfortable|have to decline to|must decline to) ?(?:to |be able to |really )?${VERBS}\\b`,
    'i',
  ),
  /\b(?:unable|not able|not allowed|not permitted) to (?:help|assist|comply|provide|share|fulfil|fulfill|do that)\b/i,
  /\bI(?:'m| am) sorry,? but (?:I|that|this|no)\b/i,
  /\bI (?:must|have to|need to|will have to|respectfully) (?:respectfully )?(?:decline|refuse)\b|\bI (?:decline|refuse)\b/i,
  /\b(?:against|violates?|violating|goes against) (?:my|our|the|openai's|company|content) (?:\w+ )?(?:guidelines|policy|policies|programming|principles|rules)\b/i,
  /\bas an AI(?: language)?(?: model| assistant)?,? I (?:can't|cannot|do not|don't|am not|won't)\b/i,
  /\b(?:that|this)(?:'s| is) (?:not )?something I (?:can|can't|cannot|won't|am able to) (?:help|do|assist|share|provide)\b/i,
  // German
  /\b(?:kann|darf|werde|möchte) ich (?:\S+ ){0,6}?(?:nicht|keine?n?r?)\b|\bich (?:kann|darf|werde|möchte) (?:\S+ ){0,6}?(?:nicht|keine?n?r?)\b(?! nur)|\b(?:tut mir leid|bedauere|bedaure),? (?:aber )?/i,
  // French
  /\bje (?:ne (?:peux|puis|suis pas en mesure|vais|dois)|n'ai pas le droit|regrette|refuse)\b|\bdésolée?,? (?:mais )?je\b/i,
  // Spanish
  /\b(?:no puedo|no podré|no me es posible|no estoy (?:autorizad[oa]|en condiciones)|me niego a)\b|\blo siento,? (?:pero )?no\b/i,
  // Italian
  /\b(?:non posso|non sono (?:in grado|autorizzat[oa])|non mi è possibile|mi rifiuto)\b|\bmi dispiace,? (?:ma )?non\b/i,
  // Portuguese
  /\b(?:não posso|não consigo|não me é possível|não estou autorizad[oa]|recuso-me)(?!\p{L})|\b(?:desculpe|lamento|sinto muito),? (?:mas )?não/iu,
];

/** Whether a text opens by declining what was asked, in one of six languages. */
export function isRefusal(text: string): boolean {
  const opening = unifyCharacters(text.slice(0, OPENING));
  return REFUSALS.some((refusal) => refusal.test(opening));
}
