import { HostResponseError, HostUnreachable } from '@touchstone/sdk';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isFile } from '../source.js';

/** What a page shows while there is nothing to show: it loads, it is empty, or it went wrong. */

const PATIENCE_MS = 150;

/** Nothing at first, so that fast answers do not flicker; then rows without content. */
export function Skeleton({ rows = 8 }: { readonly rows?: number }) {
  const [isVisible, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="skeleton" role="status" aria-busy="true" aria-label="Loading">
      {isVisible && Array.from({ length: rows }, (_, row) => <div key={row} class="skeleton-row" />)}
    </div>
  );
}

export const Empty = ({
  children,
  command,
}: {
  readonly children: ComponentChildren;
  readonly command?: string;
}) => (
  <div class="empty" data-testid="empty">
    <p>{children}</p>
    {command !== undefined && <Command text={command} />}
  </div>
);

export const Command = ({ text }: { readonly text: string }) => (
  <p class="command">
    <code>{text}</code>
    <CopyButton text={text} />
  </p>
);

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => void navigator.clipboard?.writeText(text).then(() => setCopied(true));
  return (
    <button type="button" class="quiet" onClick={copy} onBlur={() => setCopied(false)}>
      {isCopied ? 'Copied' : label}
    </button>
  );
}

type ErrorFacts = { readonly code: string; readonly message: string; readonly hint?: string };

/** Codes and our own messages; never a body. */
function factsOf(error: unknown): ErrorFacts {
  if (error instanceof HostUnreachable)
    return { code: 'unreachable', message: 'Not connected: the host does not answer.' };
  if (!(error instanceof HostResponseError))
    return { code: 'page_error', message: 'The page could not show this.' };
  const { code, message, details } = error;
  if (error.status === 404)
    return {
      code,
      message: isFile() ? 'This is not in the file.' : 'There is nothing here, or it is not yours.',
    };
  const scope = details?.scopeRequired;
  if (typeof scope === 'string') return { code, message, hint: `Needed: ${scope}.` };
  const id = details?.correlationId;
  return { code, message, ...(typeof id === 'string' && { hint: `Correlation id ${id}.` }) };
}

export function ErrorBox({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { code, message, hint } = factsOf(error);
  return (
    <div class="error" role="alert" data-testid="error" data-code={code}>
      <p>{message}</p>
      <p class="muted">
        <code>{code}</code> {hint}
      </p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
