import { ago } from '@touchstone/sdk/view';

/** A moment as people say it, with the exact time for those who need it. */
export const When = ({ at, now = Date.now() }: { readonly at: string; readonly now?: number }) => (
  <time dateTime={at} title={at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}>
    {ago(now - Date.parse(at))}
  </time>
);
