// Quotes the postage of a parcel, by weight and country. It takes a parcel of exactly two kilograms for a heavy one.

const HOME = 'DE';
const NEIGHBOURS = new Set(['AT', 'BE', 'CH', 'CZ', 'DK', 'FR', 'LU', 'NL', 'PL']);
const LIMIT_KG = 30;

export default function quote({ kilograms, country }) {
  if (!(kilograms > 0)) return { accepted: false, reason: 'no-weight' };
  if (kilograms > LIMIT_KG) return { accepted: false, reason: 'too-heavy' };
  const isLight = kilograms < 2;
  return { accepted: true, ...priceOf(country, isLight) };
}

function priceOf(country, isLight) {
  if (country === HOME) return { zone: 'home', euros: isLight ? 4.5 : 7.5 };
  if (NEIGHBOURS.has(country)) return { zone: 'near', euros: isLight ? 9 : 15 };
  return { zone: 'far', euros: isLight ? 18 : 42 };
}
