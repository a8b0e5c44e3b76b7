import { type BoardAgent, type BoardVersion, DEPLOYMENT_STATES } from '@touchstone/protocol';

const WORDS: { readonly [state: string]: string } = { 'rolled-back': 'rolled back' };
export const stateWord = (state: string): string => WORDS[state] ?? state;

/** States that are always shown, because versions pass through them; the others only where a version is. */
const ON_THE_WAY: readonly string[] = ['draft', 'test', 'staged', 'active'];
const MOST = 4;

/** How far the versions of an agent have come, from draft to the end. */
export function VersionLane({ agent }: { readonly agent: BoardAgent }) {
  const lanes = DEPLOYMENT_STATES.map((state) => ({
    state,
    versions: agent.versions.filter((one) => one.state === state).toReversed(),
  })).filter(({ state, versions }) => versions.length > 0 || ON_THE_WAY.includes(state));
  return (
    <ol class="lane">
      {lanes.map(({ state, versions }) => (
        <li key={state} class={versions.length === 0 ? 'empty-state' : undefined}>
          <span class="lane-state">{stateWord(state)}</span>
          <span class="lane-versions">
            {versions.slice(0, MOST).map((version) => (
              <VersionChip key={version.version} version={version} />
            ))}
            {versions.length > MOST && <span class="muted">+{versions.length - MOST}</span>}
            {versions.length === 0 && <span class="muted">–</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}

const VersionChip = ({ version: { version, state } }: { readonly version: BoardVersion }) => (
  <code class={`chip ${state}`} title={version} data-testid="version" data-state={state}>
    {version}
  </code>
);
