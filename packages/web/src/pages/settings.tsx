import type { SessionFacts } from '@touchstone/protocol';
import { THEMES, useTheme } from '../parts/appearance.js';
import { useKeysChoice } from '../parts/keys.js';
import { signOut } from '../session.js';

export function SettingsPage({ session }: { readonly session?: SessionFacts | undefined }) {
  const [theme, setTheme] = useTheme();
  return (
    <>
      <h1>Settings</h1>
      <section aria-labelledby="who">
        <h2 id="who">Who am I</h2>
        {session && <Facts session={session} />}
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      </section>
      <section aria-labelledby="look">
        <h2 id="look">Appearance</h2>
        <label for="theme">Theme</label>{' '}
        <select
          id="theme"
          value={theme}
          onChange={(event) => setTheme(event.currentTarget.value as typeof theme)}
        >
          {THEMES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </section>
      <KeysChoice />
    </>
  );
}

function KeysChoice() {
  const [isOn, choose] = useKeysChoice();
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <label>
        <input type="checkbox" checked={isOn} onChange={(event) => choose(event.currentTarget.checked)} />{' '}
        Single-key shortcuts
      </label>
    </section>
  );
}

const Facts = ({ session }: { readonly session: SessionFacts }) => (
  <dl class="facts">
    <dt>Principal</dt>
    <dd data-testid="who">{session.principal}</dd>
    <dt>Tenant</dt>
    <dd>
      {session.tenant} / {session.workspace}
    </dd>
    <dt>Roles</dt>
    <dd>{session.roles.join(', ')}</dd>
    <dt>Scopes</dt>
    <dd>{session.scopes.includes('*') ? 'everything in the tenant (*)' : session.scopes.join(', ')}</dd>
    {session.until !== undefined && (
      <>
        <dt>Signed in until</dt>
        <dd>
          <time dateTime={session.until}>{session.until.slice(0, 16).replace('T', ' ')} UTC</time>
        </dd>
      </>
    )}
    <dt>Host</dt>
    <dd>Touchstone {session.host.version}</dd>
  </dl>
);
