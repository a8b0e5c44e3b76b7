import { render } from 'preact';
import { App } from './app.js';
import { untilAnswered } from './first-answers.js';
import { hostSource } from './host-source.js';
import { ErrorBoundary } from './parts/shell/error-boundary.js';
import { openSource } from './source.js';
import './styles/tokens.css';
import './styles/base.css';
import './styles/grid.css';
import './styles/run.css';
import './styles/task.css';
import './styles/compare.css';
import './styles/suites.css';
import './styles/today.css';

/** Answers that come soon are in the first picture; nobody looks at nothing for longer than this. */
const PATIENCE_MS = 150;

function show(place: HTMLElement): void {
  render(
    <ErrorBoundary>
      <App />
    </ErrorBoundary>,
    place,
  );
}

openSource(hostSource());
const place = document.getElementById('page');
if (place) void untilAnswered(PATIENCE_MS).then(() => show(place));
