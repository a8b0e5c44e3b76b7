import { ErrorBox } from './error-box.js';

type QueryState = { readonly error?: unknown; readonly reload: () => void };

/** What went wrong first; all that came before stays. A host that is away is away for everything. */
export function FirstError({ of }: { readonly of: readonly QueryState[] }) {
  const failed = of.find(({ error }) => error !== undefined);
  return failed ? <ErrorBox error={failed.error} onRetry={failed.reload} /> : null;
}
