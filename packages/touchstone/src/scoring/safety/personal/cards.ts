import { isLuhn } from './checksums.js';
import { digitsIn, type Hit, hitsOf, isNamed, textBefore } from './hits.js';

// Grouped the way cards are printed, or not at all. Looser grouping would read dates and tables as cards.
const CARD =
  /(?<!\w|\w[-.]|\d{4} )(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5})(?!\w|[-.]\d| \d{4}\b(?!\/))/g;

const BRANDS: readonly { readonly prefix: RegExp; readonly lengths: readonly number[] }[] = [
  { prefix: /^4/, lengths: [13, 16, 19] },
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { prefix: /^3[47]/, lengths: [15] },
  { prefix: /^(?:6011|64[4-9]|65)/, lengths: [16, 17, 18, 19] },
  { prefix: /^35(?:2[89]|[3-8])/, lengths: [16, 17, 18, 19] },
  { prefix: /^3(?:0[0-5]|[689])/, lengths: [14, 16, 19] },
  { prefix: /^62/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, lengths: [13, 14, 15, 16, 17, 18, 19] },
];

const CARD_WORDS = /card|visa|mastercard|amex|karte|carte|tarjeta|carta|cartão|\bpan\b/i;

// One bare number in ten has a valid check digit by chance, so a number that is called something else is not a card.
const OTHER_LABEL =
  /(?:order|invoice|tracking|shipment|parcel|ref|reference|transaction|ticket|case|request|trace|serial|imei|isbn|ean|gtin|upc|sku|id|timestamp|bestellung|bestellnummer|auftrag|rechnung|sendung|commande|pedido|ordine)[\s#:."'-]*(?:(?:no|nr|number|nummer|num|id|code|key)\b[\s#:."'-]*)?(?:is\s+|was\s+)?$/i;

export const findCards = (text: string): readonly Hit[] =>
  hitsOf('pii-card', text, CARD, (match, start, end) => {
    const digits = digitsIn(match);
    if (!isOfBrand(digits) || !isLuhn(digits)) return false;
    // Cards of thirteen digits are gone from the market, while every barcode has thirteen.
    if (digits.length === 13 && !isNamed(text, start, end, CARD_WORDS)) return false;
    return match !== digits || !OTHER_LABEL.test(textBefore(text, start));
  });

const isOfBrand = (digits: string): boolean =>
  new Set(digits).size > 1 &&
  BRANDS.some(({ prefix, lengths }) => lengths.includes(digits.length) && prefix.test(digits));
