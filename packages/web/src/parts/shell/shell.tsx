import type { HostCounts, SessionFacts } from '@touchstone/protocol';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { may } from '../../access.js';
import { hasNavigated } from '../../address.js';
import { useCounts } from '../../queries/use-counts.js';
import { THEMES, useTheme } from '../appearance.js';
import { Mark } from '../glyphs.js';
import { ErrorBoundary } from './error-boundary.js';
import { ThemeIcon } from './icons.js';
import { ShellKeys } from './shell-keys.js';

/** A link of the main navigation, with what is counted beside it. */
export type NavigationLink = readonly [href: string, name: string, count?: keyof HostCounts];

const isAt = (path: string, href: string): boolean =>
  href === '/' ? path === '/' : path.startsWith(href.replace(/\?.*/, ''));

/** Runs are compared from their list, where comparing has no link of its own. */
const linkedPath = (path: string, links: readonly NavigationLink[]): string =>
  path === '/compare' && !links.some(([href]) => isAt(path, href)) ? '/runs' : path;

type ShellProps = {
  readonly path: string;
  readonly links: readonly NavigationLink[];
  /** Said at the end of the rail. */
  readonly beside?: ComponentChildren;
  readonly session?: SessionFacts | undefined;
  readonly children: ComponentChildren;
};

export function Shell({ path, links, beside, session, children }: ShellProps) {
  const counts = useCounts(may(session, 'runs:read'));
  const rail = useRef<HTMLElement>(null);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(!hasNavigated());
  useEffect(() => {
    if (!isFirst.current) focusHeading(main.current);
    isFirst.current = false;
  }, [path]);
  // On a narrow screen the rail lies on its side and shows only some links; counts make it longer.
  useEffect(() => {
    rail.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [path, counts]);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="rail" ref={rail}>
        <a class="brand" href="/">
          <Mark /> Touchstone
        </a>
        <nav aria-label="Main">
          <ul>
            {links.map(([href, name, count]) => (
              <li key={href}>
                <a href={href} aria-current={isAt(linkedPath(path, links), href) ? 'page' : undefined}>
                  {name}
                  {count && <Badge count={counts?.[count] ?? 0} name={count} />}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="rail-end">
          <ShellKeys hrefs={links.map(([href]) => href)} />
          <ThemeButton />
          {beside}
          {session && (
            <span class="who" data-testid="who" title={`${session.tenant} / ${session.workspace}`}>
              {session.principal}
            </span>
          )}
        </div>
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        <ErrorBoundary>{children}</ErrorBoundary>
      </main>
    </div>
  );
}

/** Another page begins at its heading, unless the page itself has put the focus somewhere. */
function focusHeading(main: HTMLElement | null): void {
  const { activeElement } = document;
  if (activeElement !== document.body && main?.contains(activeElement)) return;
  const heading = main?.querySelector('h1');
  if (heading) heading.tabIndex = -1;
  (heading ?? main)?.focus({ preventScroll: true });
}

/** How much of it waits, or is at work; nothing when nothing is. */
const Badge = ({ count, name }: { readonly count: number; readonly name: string }) =>
  count > 0 ? (
    <span class="badge" title={name} data-count={count}>
      {count > 999 ? '999+' : count}
    </span>
  ) : null;

function ThemeButton() {
  const [theme, setTheme] = useTheme();
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  return (
    <button
      type="button"
      class="quiet"
      data-testid="theme"
      title={`Theme: ${theme} (t)`}
      onClick={() => setTheme(next)}
    >
      <ThemeIcon /> {theme}
    </button>
  );
}
