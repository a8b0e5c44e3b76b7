import type { EvalReport } from '@touchstone/protocol';
import { signed } from '@touchstone/sdk/view';
import { useAddress, withQuery } from '../../address.js';

const MOST = 8;
const WIDTH = 48;

/** In which parts of the suite the scores changed, the largest change first. A part leads to its tasks. */
export function ChangedSlices({ slices = [] }: { readonly slices: EvalReport['slices'] }) {
  const address = useAddress();
  const changed = slices
    .flatMap(({ name, scoreDelta }) => (scoreDelta === undefined ? [] : [{ name, scoreDelta }]))
    .sort((one, other) => Math.abs(other.scoreDelta) - Math.abs(one.scoreDelta));
  const most = Math.max(0.01, ...changed.map(({ scoreDelta }) => Math.abs(scoreDelta)));
  if (changed.length === 0) return null;
  return (
    <ul class="changed-slices" aria-label="Slices">
      {changed.slice(0, MOST).map(({ name, scoreDelta }) => (
        <li key={name}>
          <a href={withQuery(address, { slice: name, view: undefined, task: undefined })}>{name}</a>{' '}
          <span class={scoreDelta < 0 ? 'worse' : undefined}>{signed(scoreDelta)}</span>{' '}
          <svg class="slice-bar" viewBox={`0 0 ${WIDTH} 8`} aria-hidden="true">
            <rect
              class={scoreDelta < 0 ? 'failed' : undefined}
              width={(Math.abs(scoreDelta) / most) * WIDTH}
              height={8}
            />
          </svg>
        </li>
      ))}
      {changed.length > MOST && <li class="muted">and {changed.length - MOST} more in the report</li>}
    </ul>
  );
}
