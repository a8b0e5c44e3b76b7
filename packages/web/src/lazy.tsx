import { HostUnreachable } from '@touchstone/sdk';
import type { FunctionComponent, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorBox } from './parts/error-box.js';
import { Skeleton } from './parts/states.js';
import { useInterval } from './queries/use-interval.js';
import { usePainted } from './queries/use-painted.js';

/** A page, or a part of one, whose code is loaded when it is first shown: nobody loads what they do not look at. */
export function lazy<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  /** Stands in its place until then. What has one of its own is a part, which is loaded after its page has been painted. */
  waiting?: JSX.Element,
): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | undefined;
  return function Lazy(props: Props) {
    const [, show] = useState(0);
    const [error, setError] = useState<unknown>();
    const isPainted = usePainted(true);
    const isDue = isPainted || waiting === undefined;
    useEffect(() => {
      if (loaded || !isDue) return;
      const fail = async (cause: unknown): Promise<void> => setError(await whyNotLoaded(cause));
      load().then((page) => {
        loaded = page;
        show(1);
      }, fail);
    }, [isDue]);
    if (error !== undefined) return <NotLoaded error={error} />;
    const Page = loaded;
    return Page ? <Page {...props} /> : (waiting ?? <Skeleton />);
  };
}

/** Any answer will do. */
const askHost = (): Promise<unknown> => fetch(location.origin, { method: 'HEAD' });

/** A browser does not tell a file that is gone from a host that does not answer. */
const whyNotLoaded = (cause: unknown): Promise<unknown> =>
  askHost().then(
    () => cause,
    () => new HostUnreachable(location.origin, cause),
  );

const LOOK_AGAIN_MS = 2_000;

/** Browsers keep in mind what they could not load, so only loading the whole page again helps. */
function NotLoaded({ error }: { readonly error: unknown }) {
  useInterval(() => {
    if (error instanceof HostUnreachable)
      askHost().then(
        () => location.reload(),
        () => undefined,
      );
  }, LOOK_AGAIN_MS);
  return <ErrorBox error={error} onRetry={() => location.reload()} />;
}
