import { render } from 'preact';
import { App } from './app.js';
import { hostSource } from './host-source.js';
import { applyTheme } from './parts/appearance.js';
import { openSource } from './source.js';
import './styles/tokens.css';
import './styles/base.css';
import './styles/grid.css';
import './styles/run.css';
import './styles/task.css';
import './styles/compare.css';
import './styles/suites.css';
import './styles/today.css';

openSource(hostSource());
applyTheme();
const place = document.getElementById('page');
if (place) render(<App />, place);
