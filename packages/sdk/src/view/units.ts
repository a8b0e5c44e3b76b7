/** `0.67`, `1.00`; a score that is not 1 is never shown as 1, nor one that is not 0 as 0. */
export const score = (value: number): string => rounded(value, 2).toFixed(2);

/** To the nearest, except that only all is all and only nothing is nothing. */
export function rounded(value: number, digits: number): number {
  const unit = 10 ** digits;
  const nearest = Math.round(value * unit);
  if (value <= 0 || value >= 1) return nearest / unit;
  return Math.min(unit - 1, Math.max(1, nearest)) / unit;
}

/** `$0.0132`, `$0.05`, `$12.40`: small sums keep their digits. */
export function usd(value: number): string {
  if (value === 0) return '$0';
  if (value >= 1) return `$${value.toFixed(2)}`;
  return value >= 0.0001 ? `$${value.toFixed(4).replace(/0{1,2}$/, '')}` : `$${value.toPrecision(2)}`;
}

/** `420 ms`, `1.8 s`, `12 s`, `3 min 05 s`, `2 h 10 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** `1 task`, `12,345 tasks`. */
export const plural = (count: number, noun: string): string =>
  `${whole(count)} ${noun}${count === 1 ? '' : 's'}`;
/** `12,345`. Without the platform's formats: loading them takes a browser longer than drawing a list. */
export const whole = (count: number): string => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');

/** `12 s ago`, `3 min ago`, `5 h ago`, `2 d ago`. */
export function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h ago` : `${Math.floor(seconds / 86_400)} d ago`;
}

/** `3 days`, `1 hour`, `moments`: how long ago something was, to be read in a sentence. */
export function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'moments';
  if (minutes < 60) return plural(minutes, 'minute');
  return minutes < 1440
    ? plural(Math.floor(minutes / 60), 'hour')
    : plural(Math.floor(minutes / 1440), 'day');
}

/** `+0.03`, `−0.12`, `−0.004`, `±0`: a difference that is there is never shown as none. */
export function signed(value: number): string {
  const size = Math.abs(value);
  if (size < 1e-9) return '±0';
  const digits = size >= 0.005 ? size.toFixed(2) : String(Number(size.toPrecision(1)));
  return `${value < 0 ? '−' : '+'}${digits}`;
}

/** A probability to three digits. One below 0.05 is not shown as 0.050, where the other verdict begins. */
export function chance(p: number): string {
  if (p < 0.001) return '< 0.001';
  const shown = Math.round(p * 1000) / 1000;
  return (p < 0.05 && shown >= 0.05 ? 0.049 : shown).toFixed(p < 0.1 ? 3 : 2);
}

/** `0.74–0.98`, both ends shown as a score is. */
export const range = ([low, high]: readonly [number, number]): string => `${score(low)}–${score(high)}`;

/** `+20 %`, `−3 %`; nothing when there was nothing before. */
export function changeOf(before: number, after: number): string {
  if (before <= 0) return '';
  const percent = Math.round((after / before - 1) * 100);
  return percent === 0 ? '±0 %' : `${percent < 0 ? '−' : '+'}${whole(Math.abs(percent))} %`;
}

/** `67 %`; `100 %` only when it is all of them, and `0 %` only when it is none. */
export function percent(share: number): string {
  const rounded = Math.round(share * 100);
  return `${share > 0 && share < 1 ? Math.min(99, Math.max(1, rounded)) : rounded} %`;
}
