import { HostResponseError, HostUnreachable } from '@touchstone/sdk';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { askFor } from '../access.js';
import { useAddress } from '../address.js';
import { useNow } from '../queries/use-interval.js';
import { IN_FILE, lastNews } from '../source.js';

type ErrorFacts = {
  readonly code: string;
  readonly message: ComponentChildren;
  /** What to do about it. */
  readonly hint?: ComponentChildren;
};

/** Codes and our own messages; never a body. */
function factsOf(error: unknown): ErrorFacts {
  if (error instanceof HostUnreachable)
    return { code: 'unreachable', message: <LastNews />, hint: 'The page asks again by itself.' };
  if (!(error instanceof HostResponseError))
    return { code: 'page_error', message: 'The page could not show this.' };
  const { code, message, details } = error;
  if (error.status === 404 && code !== 'left_out') return { code, message: nothing(), hint: <Back /> };
  const scope = details?.scopeRequired;
  if (typeof scope === 'string') return { code, message, hint: askFor(scope) };
  const id = details?.correlationId;
  return { code, message, ...(typeof id === 'string' && { hint: `Correlation id ${id}.` }) };
}

const nothing = (): string =>
  IN_FILE ? 'This is not in the file.' : 'There is nothing here, or it is not yours.';

function LastNews() {
  const now = useNow();
  const at = lastNews();
  const ago = at === undefined ? '' : `, last news ${Math.max(0, Math.round((now - at) / 1000))} s ago`;
  return <>Not connected{ago}: the host does not answer.</>;
}

const LISTS: { readonly [place: string]: string } = {
  runs: 'all runs',
  suites: 'all suites',
  agents: 'all agents',
  approvals: 'all approvals',
  judges: 'all judges',
};

/** To the list that it would be in. */
function Back() {
  const [, place = ''] = useAddress().path.split('/');
  if (place === 'answer') return <>Ask whoever sent the link for a new one.</>;
  const known = place in LISTS && !(IN_FILE && place !== 'runs') ? place : 'runs';
  return <a href={`/${known}`}>See {LISTS[known]}</a>;
}

/** Whether the same request may be answered another time. What is refused or absent stays so. */
const canPass = (error: unknown): boolean =>
  !(error instanceof HostResponseError) || error.status >= 500 || [408, 409, 425, 429].includes(error.status);

type ErrorBoxProps = { readonly error: unknown; readonly onRetry?: (() => void) | undefined };

export function ErrorBox({ error, onRetry }: ErrorBoxProps) {
  const { code, message, hint } = factsOf(error);
  const waitMs = error instanceof HostResponseError ? error.retryAfterMs : undefined;
  return (
    <div class="error" role="alert" data-testid="error" data-code={code}>
      <p>{message}</p>
      <p class="muted">
        <code>{code}</code> {hint}
      </p>
      {onRetry && canPass(error) && <Retry key={String(waitMs)} waitMs={waitMs} onRetry={onRetry} />}
    </div>
  );
}

type RetryProps = { readonly waitMs: number | undefined; readonly onRetry: () => void };

/** Counts down to when the host wants to be asked again. */
function Retry({ waitMs = 0, onRetry }: RetryProps) {
  const now = useNow();
  const [until] = useState(() => Date.now() + waitMs);
  const left = Math.ceil((until - now) / 1000);
  return (
    <button type="button" disabled={left > 0} onClick={onRetry}>
      {left > 0 ? `Try again in ${left} s` : 'Try again'}
    </button>
  );
}
