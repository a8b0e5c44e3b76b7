import { digitsIn, type Hit, hitsOf, textBefore } from './hits.js';

const INTERNATIONAL =
  /(?:(?<![\w+]|\d[.,])\+|(?<![\w+.,]|[\w][ -])00(?=\d{2}[ ./-]))[1-9]\d{0,2}(?:[ ./-]?\(\d{1,5}\))?(?:[ ./-]{0,2}\d){5,13}(?!\w|[.,:-]?\d)/g;
const CALLING_CODE =
  /^(?:1[2-9]\d\d[2-9]|7[3-9]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|2[1-689]\d|3[578]\d|42[013]|5[09]\d|6[789]\d|8[058]\d|96[0-8]|97[0-79]|99[2-68])/;

// National ways of writing that nothing else uses: North America, France, Brazil, the United Kingdom and German mobiles.
const NATIONAL: readonly RegExp[] = [
  /(?<![\w.+]|\d[ -])(?:\([2-9]\d\d\) ?|[2-9]\d\d([-.]))[2-9]\d\d(?:\1|[-.])\d{4}(?!\w|[-.]\d)/g,
  /(?<![\w.+]|\d[ -])0[1-9]([ .-])\d\d(?:\1\d\d){3}(?!\w|[ .-]\d)/g,
  /(?<![\w.+])\(\d\d\) ?9?\d{4}-\d{4}(?!\w|-\d)/g,
  /(?<![\w.+]|\d[ -])(?:07\d{3} \d{3} ?\d{3}|02\d \d{4} \d{4}|01\d{2} \d{3} \d{4}|01\d{3} \d{6}|\(0\d{2,4}\) ?\d{3,4} ?\d{3,4}|01[567]\d{1,2}[ /]\d{7,8})(?!\w| \d)/g,
];

// Any other grouping counts only when the text itself calls it a telephone number.
const BARE = /(?<![\w.+])(?:\(0?\d{1,5}\)[ -]?)?\d(?:[ ./-]{0,2}\d){7,12}(?!\w|[.,:]\d)/g;
const LABEL =
  /(?<![\p{L}])(?:phones?|telephone|tel|mobile|mobil|cell|whatsapp|fax|handy|telefon|rufnummer|durchwahl|téléphone|portable|móvil|movil|teléfono|telefono|celular|telefone|telemóvel|cellulare)\b[\s:.#*"'(=-]*(?:(?:phone|number|nummer|numéro|número|numero|no|nr|n°|is|ist|est|es|é|at|lautet|unter)[\s:.#*"'(=-]*){0,3}$/iu;
const DATE = /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4})/;

// Numbers that anyone may call for free belong to a business.
const TOLL_FREE = /^(?:\+?1)?8(?:00|33|44|55|66|77|88)\d{7}$|^(?:\+|00)(?:44|49|33|34|39|61)0?80\d|^0?800\d/;

export function findPhones(text: string): readonly Hit[] {
  return [
    ...hitsOf('pii-phone', text, INTERNATIONAL, isInternational),
    ...NATIONAL.flatMap((pattern) => hitsOf('pii-phone', text, pattern, (match) => !isTollFree(match))),
    ...hitsOf(
      'pii-phone',
      text,
      BARE,
      (match, start) => !DATE.test(match) && !isTollFree(match) && LABEL.test(textBefore(text, start)),
    ),
  ];
}

function isInternational(match: string): boolean {
  const digits = digitsIn(match).replace(/^00/, '');
  // Without separators only a full-length number is told from a large positive amount.
  const shortest = /^\+\d+$/.test(match) ? 10 : 8;
  return digits.length >= shortest && digits.length <= 15 && CALLING_CODE.test(digits) && !isTollFree(match);
}

const isTollFree = (match: string): boolean => TOLL_FREE.test(match.replace(/[^\d+]/g, ''));
