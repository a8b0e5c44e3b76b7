import type { ComponentChildren } from 'preact';
import { askFor, may } from '../access.js';
import { useSession } from './shell/session-context.js';
import { Skeleton } from './states.js';

type NeedsProps = { readonly scope: string; readonly children: ComponentChildren };

/** What only keys with a scope may read. Others are told the scope, and the host is not asked what it would refuse. */
export function Needs({ scope, children }: NeedsProps) {
  const session = useSession();
  if (!session) return <Skeleton rows={2} />;
  if (may(session, scope)) return <>{children}</>;
  return (
    <p class="muted" data-testid="error" data-code="forbidden">
      Your key may not see this: it needs the scope {scope}. {askFor(scope)}
    </p>
  );
}
