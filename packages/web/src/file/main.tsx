import { outcomeOf } from '@touchstone/protocol/tasks';
import type { PageFile } from '@touchstone/sdk/view';
import { options, render, type VNode } from 'preact';
import { liveInFragment, navigate } from '../address.js';
import { applyTheme } from '../parts/appearance.js';
import { ErrorBoundary } from '../parts/shell/error-boundary.js';
import { openSource } from '../source.js';
import { FileApp } from './app.js';
import { fileSource } from './file-source.js';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/grid.css';
import '../styles/run.css';
import '../styles/task.css';
import '../styles/compare.css';

/** A file has one address, so its links lead to fragments. They are real links: a new tab shows the same. */
options.vnode = (vnode: VNode): void => {
  const props = vnode.props as { href?: unknown };
  if (vnode.type === 'a' && typeof props.href === 'string' && props.href.startsWith('/'))
    props.href = `#${props.href}`;
};

/** One run is shown at once, with its failures if it has some. */
function homeOf({ runs }: PageFile): string {
  const [run, ...others] = runs;
  if (!run || others.length > 0) return '/runs';
  const hasFailures = run.tasks.some(({ result }) => outcomeOf(result) === 'failed');
  return `/runs/${encodeURIComponent(run.snapshot.runId)}${hasFailures ? '?outcome=failed' : ''}`;
}

const data = document.getElementById('touchstone-file')?.textContent;
const place = document.getElementById('page');
if (data && place) {
  const file: PageFile = JSON.parse(data);
  openSource(fileSource(file));
  liveInFragment();
  applyTheme();
  if (!location.hash.startsWith('#/')) navigate(homeOf(file), { replace: true });
  render(
    <ErrorBoundary>
      <FileApp file={file} />
    </ErrorBoundary>,
    place,
  );
}
