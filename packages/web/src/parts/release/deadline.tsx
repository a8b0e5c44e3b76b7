import { duration } from '@touchstone/sdk/view';

const HOUR_MS = 3_600_000;

/** A clock that runs down. Silence is a no, so the last hour is loud. */
export function Deadline({ until, now }: { readonly until: string; readonly now: number }) {
  const left = Date.parse(until) - now;
  return (
    <time class={left < HOUR_MS ? 'deadline note' : 'deadline muted'} dateTime={until} title={until}>
      {left > 0 ? `${duration(Math.ceil(left / 1_000) * 1_000)} left` : 'time is over'}
    </time>
  );
}
