import { el, letterOf, pill, withAttributes } from './elements.js';

/** The top of the page: what ran, and what came of it. */
export function renderSummary(data, suite) {
  const several = suite.runs.length > 1;
  return el(
    'header',
    'summary',
    el('div', 'title', el('h1', '', suite.suite), ...(several ? [] : [verdictPill(suite.runs[0])])),
    several ? renderMatrix(suite) : renderRun(suite.runs[0]),
    contentNote(data),
  );
}

const verdictPill = ({ verdict }) => pill(verdict.word, verdict.paint);

const CONTENT_NOTES = {
  'left-out': 'Inputs and answers were left out of this file. Written with --bodies, it holds them.',
  removed: 'The host has removed inputs and answers of this run; scores are kept.',
};

const contentNote = ({ content }) =>
  CONTENT_NOTES[content] ? el('p', 'note', CONTENT_NOTES[content]) : undefined;

function renderRun(run) {
  return el(
    'div',
    'run',
    el(
      'div',
      'headline',
      el('div', 'big', run.shown ?? '–'),
      el(
        'div',
        'certainty',
        run.interval ? scale(run) : undefined,
        el('div', 'muted', run.intervalWords ?? 'score'),
      ),
    ),
    el(
      'div',
      'about',
      el('div', 'agent', run.agent),
      el('div', 'muted', run.facts.join(' · ')),
      el('div', 'bars', ...run.bars.map(renderBar)),
      ...run.notes.map((note) => el('p', 'note', note)),
      el('div', 'muted small', `run ${run.runId}`),
    ),
  );
}

function renderBar({ name, value, wanted, met }) {
  const mark = met === undefined ? '–' : met ? '✓' : '✗';
  return el(
    'span',
    `bar ${met === false ? 'red' : met ? 'green' : ''}`,
    `${mark} ${name} ${value} `,
    el('span', 'muted', wanted),
  );
}

/** Where the score could lie, from 0 to 1. */
function scale({ score, shown, intervalWords, interval: [low, high] }) {
  const range = el('span', 'range');
  range.style.left = `${low * 100}%`;
  range.style.width = `${(high - low) * 100}%`;
  const dot = el('span', 'dot');
  dot.style.left = `${score * 100}%`;
  const words = `score ${shown}, ${intervalWords}`;
  return withAttributes(el('div', 'scale', range, dot), { role: 'img', 'aria-label': words, title: words });
}

const HEADS = ['', 'variant', '', 'score', '', 'p50', 'cost', 'against A'];

function renderMatrix(suite) {
  const tests = new Map((suite.tests ?? []).map((test) => [test.name, test]));
  const rows = suite.runs.map((run, index) => variantRow(run, index, tests.get(run.name)));
  return el(
    'div',
    'scroll-x',
    el(
      'table',
      'matrix',
      el('thead', '', el('tr', '', ...HEADS.map((head) => el('th', '', head)))),
      el('tbody', '', ...rows),
    ),
    ...suite.runs.flatMap((run, index) =>
      run.notes.map((note) => el('p', 'note', `${letterOf(index)}: ${note}`)),
    ),
  );
}

const TRENDS = { worse: 'red', better: 'green', unclear: 'yellow', same: 'muted' };

const variantRow = (run, index, test) =>
  el(
    'tr',
    '',
    el('td', '', el('span', 'letter', letterOf(index))),
    el(
      'td',
      '',
      el('div', 'strong', run.name),
      el('div', 'muted small', [run.facts[0], run.runId].join(' · ')),
    ),
    el('td', '', verdictPill(run)),
    el('td', 'number strong', run.shown ?? '–'),
    el('td', '', run.interval ? scale(run) : undefined),
    el('td', 'number', run.p50 ?? '–'),
    el('td', 'number', run.cost ?? '–'),
    el('td', test ? TRENDS[test.trend] : 'muted', test ? test.words : '–'),
  );
