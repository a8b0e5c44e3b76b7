import type { FunctionComponent, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorBox } from './parts/error-box.js';
import { Skeleton } from './parts/states.js';

/** A page, or a part of one, whose code is loaded when it is first shown: nobody loads what they do not look at. */
export function lazy<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  /** Stands in its place until then. */
  waiting: JSX.Element = <Skeleton />,
): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | undefined;
  return function Lazy(props: Props) {
    const [, show] = useState(0);
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      if (loaded) return;
      load().then((page) => {
        loaded = page;
        show(1);
      }, setError);
    }, []);
    if (error !== undefined) return <ErrorBox error={error} onRetry={() => location.reload()} />;
    const Page = loaded;
    return Page ? <Page {...props} /> : waiting;
  };
}
