import type { JudgeAgreement } from '@touchstone/protocol';
import { judgeName, plural, whole } from '@touchstone/sdk/view';
import { useEffect } from 'preact/hooks';
import { type Address, navigate, useAddress, withQuery } from '../address.js';
import { kappaText } from '../kappa-text.js';
import { ErrorBox } from '../parts/error-box.js';
import { JudgeFigures } from '../parts/judges/judge-figures.js';
import { CriterionTable, Disagreements } from '../parts/judges/judge-tables.js';
import { Empty, Skeleton } from '../parts/states.js';
import { SuiteChoice } from '../parts/suite/suite-choice.js';
import { useQuery } from '../queries/use-query.js';
import { client } from '../source.js';
import '../styles/judges.css';

function useAgreement(judge?: string) {
  const address = useAddress();
  const suiteId = address.query.get('suiteId') || undefined;
  const asked = { ...(suiteId !== undefined && { suiteId }), ...(judge !== undefined && { judge }) };
  const query = useQuery(`agreement ${suiteId} ${judge}`, (signal) =>
    client.review.agreement(asked, { signal }),
  );
  const tools = (
    <>
      <LeastKappa address={address} />
      {address.query.has('minKappa') && wantedIn(address) === undefined && (
        <span role="status">Not understood in the address, and left out: minKappa.</span>
      )}
      <SuiteChoice value={suiteId} onChoose={(next) => navigate(withQuery(address, { suiteId: next }))} />
    </>
  );
  return { ...query, least: leastIn(address), tools };
}

/** Where agreement begins to be called substantial. */
const USUAL_LEAST = 0.6;

/** The least kappa that is wanted. */
const leastIn = (address: Address): number => wantedIn(address) ?? USUAL_LEAST;

/** What the address says; undefined when that is no number from 0 to 1. */
function wantedIn({ query }: Address): number | undefined {
  const text = query.get('minKappa')?.trim() || undefined;
  const least = Number(text ?? Number.NaN);
  return least >= 0 && least <= 1 ? least : undefined;
}

/** A line to measure kappa against. No gate asks for one yet, so people set it. */
const LeastKappa = ({ address }: { readonly address: Address }) => (
  <label class="least-kappa">
    <span class="muted">Min kappa</span>
    <input
      type="number"
      min={0}
      max={1}
      step={0.05}
      value={leastIn(address)}
      onChange={({ currentTarget: { value } }) =>
        navigate(withQuery(address, { minKappa: value }), { replace: true })
      }
    />
  </label>
);

/** Every judge that has decided what people have decided as well. */
export function JudgesPage() {
  const { data, error, isLoading, reload, least, tools } = useAgreement();
  const address = useAddress();
  const hrefOf = (digest: string): string =>
    withQuery({ ...address, path: `/judges/${encodeURIComponent(digest)}` }, {});
  useEffect(() => {
    document.title = 'Judges · Touchstone';
  }, []);
  return (
    <div class="judges">
      <header class="judges-heading">
        <h1>Judges</h1>
        {tools}
      </header>
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {isLoading && <Skeleton />}
      {data?.judges.length === 0 && <NoLabels />}
      {data?.judges.map((judge) => (
        <section key={judge.digest} class="judge" data-judge={judge.digest} aria-labelledby={judge.digest}>
          <h2 id={judge.digest}>
            <a href={hrefOf(judge.digest)}>{judgeName(judge)}</a>
          </h2>
          <Labels judge={judge} />
          <JudgeFigures judge={judge} least={least} />
          <Lowest judge={judge} href={hrefOf(judge.digest)} />
        </section>
      ))}
    </div>
  );
}

const NoLabels = () => (
  <Empty>
    Nobody has said yet whether a judge is right. <a href="/review?source=sample">Look at a random sample</a>,
    without seeing what the judge said, and this page shows how far it agrees.
  </Empty>
);

const Labels = ({ judge: { all, blind, reviewers, mock } }: { readonly judge: JudgeAgreement }) => (
  <p class="muted">
    {plural(all.n, 'label')} ({whole(blind.n)} blind) by{' '}
    {reviewers === 1 ? '1 person' : `${whole(reviewers)} people`}
    {mock && '. The judge is a scripted one: this says nothing of a real judge.'}
  </p>
);

const Lowest = ({
  judge: { criteria, disagreements },
  href,
}: {
  readonly judge: JudgeAgreement;
  readonly href: string;
}) => {
  const [lowest] = criteria;
  return (
    <p class="judge-links">
      {lowest && criteria.length > 1 && (
        <span class="muted">
          Lowest: <span class="id">{lowest.id}</span>{' '}
          {lowest.kappa === undefined ? 'kappa undefined' : `kappa ${kappaText(lowest.kappa)}`} (n{' '}
          {whole(lowest.n)})
        </span>
      )}
      <a href={href}>
        {disagreements.length === 0 ? 'No disagreement' : plural(disagreements.length, 'disagreement')}
      </a>
    </p>
  );
};

/** One judge: by criterion, and where it differs from people. */
export function JudgePage({ digest }: { readonly digest: string }) {
  const { data, error, isLoading, reload, least, tools } = useAgreement(digest);
  const judge = data?.judges[0];
  const address = useAddress();
  const hrefOfCriterion = (criterion: string | undefined): string => withQuery(address, { criterion });
  useEffect(() => {
    document.title = `${judge ? judgeName(judge) : 'Judge'} · Touchstone`;
  }, [judge]);
  return (
    <div class="judges">
      <p class="crumbs">
        <a href={withQuery({ ...address, path: '/judges' }, { criterion: undefined })}>Judges</a> /{' '}
        <span class="id">{digest.slice(0, 19)}…</span>
      </p>
      <header class="judges-heading">
        <h1>{judge ? judgeName(judge) : 'Judge'}</h1>
        {tools}
      </header>
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {isLoading && <Skeleton />}
      {data && !judge && <NoLabels />}
      {judge && (
        <>
          <Labels judge={judge} />
          <JudgeFigures judge={judge} least={least} />
          <CriterionTable judge={judge} hrefOf={hrefOfCriterion} />
          <Disagreements
            judge={judge}
            criterion={address.query.get('criterion') ?? undefined}
            hrefOf={hrefOfCriterion}
          />
        </>
      )}
    </div>
  );
}
