import { isCodiceFiscale, isCpf, isDni, isMod11And10, isNir, isVerhoeff } from './checksums.js';
import { compact, type Hit, hitsOf, isNamed } from './hits.js';

/**
 * One country's number. A way of writing that nothing else uses (`own`) is believed as it stands; the bare form, which
 * an order number could have by chance, counts only beside one of the words.
 */
type Scheme = {
  readonly pattern: RegExp;
  readonly isValid: (value: string) => boolean;
  readonly own?: RegExp;
  readonly words: RegExp;
};

const UNITED_STATES: Scheme = {
  pattern: /(?<![\w-]|\d[ .])(?:\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4}|\d{9})(?![\w-]|[ .]\d)/g,
  // The two numbers printed in advertisements were never anyone's after that.
  isValid: (value) => /^(?!000|666|9|078051120|219099999)\d{3}(?!00)\d\d(?!0000)\d{4}$/.test(value),
  own: /^\d{3}-\d{2}-\d{4}$/,
  words: /\bssn\b|social security|\btin\b/i,
};

const UNITED_KINGDOM: Scheme = {
  pattern: /(?<![\w-])[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D](?![\w-])/g,
  isValid: (value) => !/^(?:BG|GB|KN|NK|NT|TN|ZZ)/.test(value),
  own: /^[A-Z]{2} \d\d \d\d \d\d [A-D]$/,
  words: /national insurance|\bnino\b|\bni (?:number|no)\b/i,
};

const GERMANY: Scheme = {
  pattern: /(?<![\w-]|\d[ .])(?:[1-9]\d \d{3} \d{3} \d{3}|[1-9]\d{10})(?![\w-]|[ .]\d)/g,
  isValid: (value) => hasOneRepeatedDigit(value.slice(0, 10)) && isMod11And10(value),
  own: /^\d\d \d{3} \d{3} \d{3}$/,
  words: /steuer-?id|steuerliche identifikation|\bidnr\b|\btax id/i,
};

const FRANCE: Scheme = {
  pattern:
    /(?<![\w-]|\d[ .])[1-478] ?\d\d ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d(?![\w-]|[ .]\d)/g,
  isValid: isNir,
  own: /./,
  words: /sécurité sociale|\bnir\b/i,
};

const SPAIN: Scheme = {
  pattern: /(?<![\w-])(?:\d{8}|[XYZxyz]-?\d{7})-?[A-Za-z](?![\w-])/g,
  isValid: isDni,
  words: /\b(?:dni|nie|nif)\b|documento (?:nacional )?de identidad|identity (?:card|document|number)/i,
};

const ITALY: Scheme = {
  pattern:
    /(?<![\w-])[A-Za-z]{6}[\dL-NP-Vl-np-v]{2}[A-EHLMPR-Ta-ehlmpr-t][\dL-NP-Vl-np-v]{2}[A-Za-z][\dL-NP-Vl-np-v]{3}[A-Za-z](?![\w-])/g,
  // A run of letters can have the shape; a person's code has digits unless six namesakes share a birthday.
  isValid: (value) => /\d/.test(value) && isCodiceFiscale(value),
  own: /./,
  words: /codice fiscale/i,
};

const BRAZIL: Scheme = {
  pattern: /(?<![\w-]|\d[.])(?:\d{3}\.\d{3}\.\d{3}-\d{2}|\d{11})(?![\w-]|\.\d)/g,
  isValid: isCpf,
  own: /\./,
  words: /\bcpf\b/i,
};

const INDIA: Scheme = {
  pattern: /(?<![\w-]|\d[ .])[2-9]\d{3}([ -]?)\d{4}\1\d{4}(?![\w-]|[ .]\d)/g,
  isValid: isVerhoeff,
  words: /aadh?aar|\buidai?\b|आधार/i,
};

const SCHEMES = [UNITED_STATES, UNITED_KINGDOM, GERMANY, FRANCE, SPAIN, ITALY, BRAZIL, INDIA];

export const findNationalIds = (text: string): readonly Hit[] =>
  SCHEMES.flatMap((scheme) => idsOf(scheme, text));

const idsOf = ({ pattern, isValid, own, words }: Scheme, text: string): readonly Hit[] =>
  hitsOf(
    'pii-national-id',
    text,
    pattern,
    (match, start, end) =>
      isValid(compact(match)) && (own?.test(match) === true || isNamed(text, start, end, words)),
  );

/** Among the first ten digits of a German number exactly one occurs twice or three times; all others at most once. */
function hasOneRepeatedDigit(digits: string): boolean {
  const counts = Array.from('0123456789', (digit) => digits.split(digit).length - 1);
  const repeated = counts.filter((count) => count > 1);
  return repeated.length === 1 && (repeated[0] as number) <= 3;
}
