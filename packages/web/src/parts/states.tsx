import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

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
  // Over plain HTTP, browsers have none; the text can still be marked by hand.
  if (!navigator.clipboard) return null;
  const copy = (): void => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <button type="button" class="quiet" onClick={copy} onBlur={() => setCopied(false)}>
      {isCopied ? 'Copied' : label}
    </button>
  );
}
