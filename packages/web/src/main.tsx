import { render } from 'preact';
import { App } from './app.js';
import { askAhead } from './ask-ahead.js';
import { hostSource } from './host-source.js';
import { applyTheme } from './parts/appearance.js';
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

askAhead();
openSource(hostSource());
applyTheme();
const place = document.getElementById('page');
if (place)
  render(
    <ErrorBoundary>
      <App />
    </ErrorBoundary>,
    place,
  );
