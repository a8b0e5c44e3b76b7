import type { SessionFacts } from '@touchstone/protocol';
import { useEffect } from 'preact/hooks';
import { may } from '../access.js';
import { choicesOf, exactTime, type Preference, usePreference } from '../parts/appearance.js';
import { Field } from '../parts/dialog.js';
import { Capabilities, Keys, Packs, Tools, Webhooks } from '../parts/settings/host-facts.js';
import { ALL_SCOPES, isOfHost, scopeWords } from '../scope-words.js';
import { signOut } from '../session.js';
import '../styles/agents.css';
import '../styles/settings.css';

export function SettingsPage({ session }: { readonly session?: SessionFacts | undefined }) {
  useEffect(() => {
    document.title = 'Settings · Touchstone';
  }, []);
  return (
    <>
      <h1>Settings</h1>
      <section aria-labelledby="who" class="settings-part">
        <h2 id="who">Who am I</h2>
        {session && <Facts session={session} />}
        <p>
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        </p>
      </section>
      {session && <Scopes session={session} />}
      <Appearance />
      <Keys />
      <Webhooks />
      <Tools />
      <Packs />
      <Capabilities />
    </>
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
    <dd>{session.roles.join(', ') || 'none'}</dd>
    {session.until !== undefined && (
      <>
        <dt>Signed in until</dt>
        <dd>
          <time dateTime={session.until}>{exactTime(session.until)}</time>
        </dd>
      </>
    )}
    <dt>Host</dt>
    <dd>Touchstone {session.host.version}</dd>
  </dl>
);

/** Every scope that there is, and whether the key has it. */
const Scopes = ({ session }: { readonly session: SessionFacts }) => {
  const has = (scope: string): boolean =>
    session.scopes.includes(scope) || (may(session, scope) && !isOfHost(scope));
  const known = [...new Set([...ALL_SCOPES, ...session.scopes.filter((scope) => scope !== '*')])];
  return (
    <section aria-labelledby="scopes" class="settings-part">
      <h2 id="scopes">What this key may do</h2>
      <ul class="scopes">
        {known.map((scope) => (
          <li key={scope} class={has(scope) ? undefined : 'muted'} data-scope={scope} data-has={has(scope)}>
            <span aria-hidden="true">{has(scope) ? '✓' : '–'}</span>
            <span>
              {has(scope) ? '' : <span class="unseen">not: </span>}
              {scopeWords(scope)} <code>{scope}</code>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
};

const WORDS: { readonly [name in Preference]: string } = {
  theme: 'Theme',
  density: 'Density of rows',
  times: 'Exact times in',
  shortcuts: 'Single-key shortcuts',
};

const Appearance = () => (
  <section aria-labelledby="look" class="settings-part">
    <h2 id="look">Appearance</h2>
    <p class="muted">Kept in this browser.</p>
    <div class="fields">
      {(Object.keys(WORDS) as Preference[]).map((name) => (
        <Choice key={name} name={name} />
      ))}
    </div>
  </section>
);

function Choice({ name }: { readonly name: Preference }) {
  const [chosen, choose] = usePreference(name);
  return (
    <Field name={WORDS[name]}>
      {(id) => (
        <select
          id={id}
          data-preference={name}
          value={chosen}
          onChange={(event) => choose(event.currentTarget.value as typeof chosen)}
        >
          {choicesOf(name).map((choice) => (
            <option key={choice} value={choice}>
              {choice === 'utc' ? 'UTC' : choice}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
