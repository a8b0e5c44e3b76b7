// The check digits that tell a real-looking number from a number. Each takes a compact text: no separators.

const digitsOf = (text: string): number[] => Array.from(text, Number);

/** Payment cards. */
export function isLuhn(digits: string): boolean {
  const sum = digitsOf(digits)
    .reverse()
    .reduce((total, digit, place) => total + (place % 2 === 0 ? digit : doubled(digit)), 0);
  return sum % 10 === 0;
}

const doubled = (digit: number): number => (digit < 5 ? digit * 2 : digit * 2 - 9);

/** The remainder of a long decimal number, taken in pieces that stay exact. */
export function remainder(digits: string, modulus: number): number {
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % modulus;
  return rest;
}

/** IBAN (ISO 13616): country and check digits go to the end, letters become two-digit numbers. */
export function isMod97(iban: string): boolean {
  const moved = iban.slice(4) + iban.slice(0, 4);
  return (
    remainder(
      moved.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55)),
      97,
    ) === 1
  );
}

/** ISO 7064 MOD 11,10: the German tax identification number. */
export function isMod11And10(digits: string): boolean {
  let product = 10;
  for (const digit of digits.slice(0, -1)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits.at(-1));
}

/** Brazil's CPF: two digits, each a weighted sum of what stands before it. */
export const isCpf = (digits: string): boolean =>
  new Set(digits).size > 1 &&
  cpfDigit(digits, 9) === Number(digits[9]) &&
  cpfDigit(digits, 10) === Number(digits[10]);

function cpfDigit(digits: string, length: number): number {
  const sum = digitsOf(digits.slice(0, length)).reduce(
    (total, digit, place) => total + digit * (length + 1 - place),
    0,
  );
  return ((sum * 10) % 11) % 10;
}

// Verhoeff works in the dihedral group of ten elements: `times` is its operation, `permuted` one fixed permutation.
const times = (a: number, b: number): number => {
  if (a < 5) return b < 5 ? (a + b) % 5 : ((a + b) % 5) + 5;
  return b < 5 ? ((a - b) % 5) + 5 : (a - b + 5) % 5;
};
const PERMUTATION = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
const permuted = (digit: number, rounds: number): number =>
  rounds === 0 ? digit : permuted(PERMUTATION[digit] as number, rounds - 1);

/** India's Aadhaar number. */
export const isVerhoeff = (digits: string): boolean =>
  digitsOf(digits)
    .reverse()
    .reduce((check, digit, place) => times(check, permuted(digit, place % 8)), 0) === 0;

const DNI_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';

/** Spain's DNI and NIE: the letter is the number's remainder; a leading X, Y, Z stands for 0, 1, 2. */
export function isDni(text: string): boolean {
  const digits = text.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)));
  return DNI_LETTERS[Number(digits) % 23] === text.at(-1);
}

/** France's NIR: the key is 97 minus the remainder; the two Corsican departments count as numbers. */
export function isNir(text: string): boolean {
  const body = text.slice(0, -2).replace('2A', '19').replace('2B', '18');
  return 97 - remainder(body, 97) === Number(text.slice(-2));
}

// Value of a character at an odd place (counted from one); at even places it is its own rank.
const FISCAL_ODD = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

/** Italy's codice fiscale: the last letter checks the fifteen characters before it. */
export function isCodiceFiscale(text: string): boolean {
  const sum = Array.from(text.slice(0, 15)).reduce((total, character, place) => {
    const order = rankOf(character);
    return total + (place % 2 === 0 ? (FISCAL_ODD[order] as number) : order);
  }, 0);
  return rankOf(text[15] as string) === sum % 26;
}

const rankOf = (character: string): number =>
  character < 'A' ? Number(character) : character.charCodeAt(0) - 'A'.charCodeAt(0);
