import { kappaText } from '../../kappa-text.js';
import { useQuery } from '../../queries/use-query.js';
import { client } from '../../source.js';

type KappaSoFarProps = { readonly suiteId: string; readonly judge: string; readonly saves: number };

/** Where the judge of this run stands with the labels so far, those of others included. */
export function KappaSoFar({ suiteId, judge, saves }: KappaSoFarProps) {
  const { data } = useQuery(`agreement ${suiteId} ${judge} ${saves}`, (signal) =>
    client.review.agreement({ suiteId, judge }, { signal }),
  );
  const found = data?.judges[0];
  if (!found) return null;
  const { blind, people } = found;
  return (
    <p class="muted kappa-so-far">
      kappa so far{' '}
      <a
        class="strong"
        data-testid="kappa"
        data-value={blind.kappa}
        data-n={blind.n}
        href={`/judges/${encodeURIComponent(judge)}?suiteId=${encodeURIComponent(suiteId)}`}
      >
        {blind.kappa === undefined ? 'undefined' : kappaText(blind.kappa)}
      </a>{' '}
      ({blind.n} blind){people?.kappa !== undefined && ` · people ${kappaText(people.kappa)}`}
    </p>
  );
}
