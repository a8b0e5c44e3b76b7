import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorBox } from './parts/error-box.js';
import { Skeleton } from './parts/states.js';

/** A page whose code is loaded when it is first shown, so that nobody loads pages that they do not look at. */
export function lazy<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
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
    return Page ? <Page {...props} /> : <Skeleton />;
  };
}
