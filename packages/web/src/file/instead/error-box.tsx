import { HostResponseError } from '@touchstone/sdk';

/** What a file does not have, it will not have later; nobody is asked again. */
export function ErrorBox({
  error,
}: {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}) {
  const isKnown = error instanceof HostResponseError;
  const code = isKnown ? error.code : 'page_error';
  return (
    <div class="error" role="alert" data-testid="error" data-code={code}>
      <p>{isKnown ? error.message : 'The page could not show this.'}</p>
      <p class="muted">
        <code>{code}</code> <a href="/runs">See what is in the file</a>
      </p>
    </div>
  );
}
