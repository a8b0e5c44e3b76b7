import { useEffect, useRef, useState } from 'preact/hooks';
import { navigate } from '../address.js';
import { ErrorBox } from '../parts/error-box.js';
import { Mark } from '../parts/glyphs.js';
import { isSessionOver, signIn } from '../session.js';

/** Only an address of this page. */
const backOf = (): string => {
  const back = new URLSearchParams(location.search).get('back') ?? '/';
  return /^\/(?!\/)/.test(back) ? back : '/';
};

export function SignInPage() {
  const field = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<unknown>();
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const key = field.current?.value.trim() ?? '';
    if (field.current) field.current.value = '';
    if (key === '') return;
    await signIn(key).then(() => navigate(backOf(), { replace: true }), setError);
  };
  return (
    <main class="sign-in">
      <form onSubmit={submit}>
        <Mark />
        <h1>Sign in to Touchstone</h1>
        {isSessionOver() && <p role="status">Your session has ended. Sign in to go on where you were.</p>}
        <label for="key">API key</label>
        <input
          id="key"
          ref={field}
          type="password"
          autocomplete="current-password"
          spellcheck={false}
          required
          data-testid="sign-in-key"
        />
        <button type="submit" class="primary" data-testid="sign-in-submit">
          Sign in
        </button>
        {error !== undefined && <ErrorBox error={error} />}
        <p class="muted">
          The key is exchanged for a session and not kept. Keys are made with{' '}
          <code>touchstone keys create</code>.
        </p>
      </form>
    </main>
  );
}

/** A link that signs in once. The token is taken out of the address before anything else. */
export function OpenPage() {
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const token = location.hash.slice(1);
    const back = backOf();
    history.replaceState(null, '', '/open');
    signIn(token).then(() => navigate(back, { replace: true }), setError);
  }, []);
  if (error === undefined) return <main class="sign-in" aria-busy="true" />;
  return (
    <main class="sign-in">
      <div class="form">
        <h1>This link no longer works</h1>
        <p>
          A link signs in once, within ten minutes. Start the host again for a new one, or sign in with a key.
        </p>
        <ErrorBox error={error} />
        <p>
          <a href="/sign-in">Sign in with a key</a>
        </p>
      </div>
    </main>
  );
}
