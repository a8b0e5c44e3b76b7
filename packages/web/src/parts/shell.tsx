import type { SessionFacts } from '@touchstone/protocol';
import type { ComponentChildren } from 'preact';
import { THEMES, useTheme } from './appearance.js';
import { Mark } from './glyphs.js';
import { ShellKeys } from './shell-keys.js';

/** What there is to go to. A place that has no page yet is not listed. */
const PLACES = [
  ['/runs', 'Runs'],
  ['/agents', 'Agents'],
  ['/review', 'Review'],
  ['/approvals', 'Approvals'],
  ['/judges', 'Judges'],
  ['/audit', 'Audit'],
  ['/settings', 'Settings'],
] as const;

type ShellProps = {
  readonly path: string;
  readonly session?: SessionFacts | undefined;
  readonly children: ComponentChildren;
};

export const Shell = ({ path, session, children }: ShellProps) => (
  <div class="shell">
    <a class="skip" href="#main">
      Skip to content
    </a>
    <header class="rail">
      <a class="brand" href="/runs">
        <Mark /> Touchstone
      </a>
      <nav aria-label="Main">
        <ul>
          {PLACES.map(([href, name]) => (
            <li key={href}>
              <a href={href} aria-current={path.startsWith(href) ? 'page' : undefined}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="rail-end">
        <ShellKeys places={PLACES.map(([href]) => href)} />
        <ThemeButton />
        {session && (
          <span class="who" data-testid="who" title={`${session.tenant} / ${session.workspace}`}>
            {session.principal}
          </span>
        )}
      </div>
    </header>
    <main id="main" tabIndex={-1}>
      {children}
    </main>
  </div>
);

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
      <span aria-hidden="true">◐</span> {theme}
    </button>
  );
}
