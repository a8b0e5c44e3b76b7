/** `0.93`, `1.00`; a score that is not 1 is never shown as 1, nor one below its bar as reaching it. */
export const score = (value: number): string => (Math.floor(value * 100 + 1e-9) / 100).toFixed(2);

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
export const whole = (count: number): string => count.toLocaleString('en-US');

/** `12 s ago`, `3 min ago`, `5 h ago`, `2 d ago`. */
export function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h ago` : `${Math.floor(seconds / 86_400)} d ago`;
}
