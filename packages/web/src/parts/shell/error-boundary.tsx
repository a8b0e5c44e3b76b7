import type { ComponentChildren } from 'preact';
import { useErrorBoundary, useRef } from 'preact/hooks';
import { type Address, useAddress } from '../../address.js';
import { ErrorBox } from '../error-box.js';

/** What could not be drawn is replaced by words, so that everything around it still works. Another address is drawn anew. */
export function ErrorBoundary({ children }: { readonly children: ComponentChildren }) {
  const address = useAddress();
  const failedAt = useRef<Address>(undefined);
  const [error, reset] = useErrorBoundary((caught) => {
    failedAt.current = address;
    // For whoever looks into it. It may hold content, so the page does not show it.
    console.error(caught);
  });
  if (error === undefined || failedAt.current !== address) return children;
  return (
    <>
      <h1>This page has failed</h1>
      <ErrorBox error={error} onRetry={reset} />
    </>
  );
}
