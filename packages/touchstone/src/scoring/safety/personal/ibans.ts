import { isMod97 } from './checksums.js';
import type { Hit } from './hits.js';

const LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    'NO15 BE16 DK18 FI18 FO18 GL18 NL18 MK19 SI19 AT20 BA20 EE20 KZ20 LT20 LU20 XK20 CH21 HR21 LI21 LV21 BG22 BH22 ' +
    'CR22 DE22 GB22 GE22 IE22 ME22 RS22 AE23 GI23 IL23 TL23 AD24 CZ24 ES24 MD24 PK24 RO24 SA24 SE24 SK24 TN24 VG24 ' +
    'PT25 IS26 TR26 FR27 GR27 IT27 MC27 MR27 SM27 AL28 AZ28 BY28 CY28 DO28 GT28 HU28 LB28 PL28 BR29 EG29 PS29 QA29 ' +
    'UA29 JO30 KW30 MU30 MT31 SC31 LC32'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const START = /(?<!\w)[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9])/g;

/** Account numbers, bare or in groups. How far one reaches is the country's to say, not the next word's. */
export function findIbans(text: string): readonly Hit[] {
  const hits: Hit[] = [];
  for (const match of text.matchAll(START)) {
    const length = LENGTHS.get(match[0].slice(0, 2).toUpperCase());
    const taken = length === undefined ? undefined : take(text, match.index, length);
    if (taken && isMod97(taken.value)) hits.push({ kind: 'pii-iban', start: match.index, ...taken });
  }
  return hits;
}

function take(text: string, start: number, length: number): { value: string; end: number } | undefined {
  let value = '';
  let at = start;
  while (value.length < length) {
    const character = text[at] ?? '';
    if (/[A-Za-z0-9]/.test(character)) value += character;
    else if (!/[ -]/.test(character) || !/[A-Za-z0-9]/.test(text[at - 1] ?? '')) return undefined;
    at += 1;
  }
  return /\w/.test(text[at] ?? '') ? undefined : { value: value.toUpperCase(), end: at };
}
