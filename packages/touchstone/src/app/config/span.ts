const UNIT_MS: { readonly [unit: string]: number } = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `45m`, `12h`, `30d`, `8w` in milliseconds; undefined for anything else. */
export function spanMs(text: string): number | undefined {
  const [, amount, unit = ''] = text.match(/^(\d{1,5})([mhdw])$/) ?? [];
  const ms = Number(amount) * (UNIT_MS[unit] ?? 0);
  return ms > 0 ? ms : undefined;
}
