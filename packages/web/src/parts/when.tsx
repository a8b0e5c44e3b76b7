import { ago } from '@touchstone/sdk/view';
import { exactTime } from './appearance.js';

/** A moment as people say it, with the exact time for those who need it. */
export const When = ({ at, now = Date.now() }: { readonly at: string; readonly now?: number }) => (
  <time dateTime={at} title={exactTime(at)}>
    {ago(now - Date.parse(at))}
  </time>
);
