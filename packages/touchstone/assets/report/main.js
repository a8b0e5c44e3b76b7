import { renderDetail } from './detail.js';
import { differs, el, statusOf, whole, withAttributes } from './elements.js';
import { createList } from './list.js';
import { renderSummary } from './summary.js';

const data = JSON.parse(document.getElementById('data').textContent);
const page = el('main', '');
/** What needs a person's eye comes first. */
const RANKS = { failed: 0, unscored: 1, passed: 2 };

document.body.append(page);
showSuite(0);

function showSuite(index) {
  const suite = data.suites[index];
  if (!suite) return page.replaceChildren(el('p', 'muted', 'This file holds no run.'));
  const tasks = suite.tasks
    .map((task, place) => ({ task, rank: RANKS[statusOf(task)], place }))
    .sort((one, other) => one.rank - other.rank || one.place - other.place)
    .map(({ task }) => task);
  const detail = withAttributes(el('article', 'detail'), { tabindex: '-1' });
  const close = el('button', 'close', '← Tasks');
  close.addEventListener('click', () => detail.classList.remove('open'));
  const list = createList(suite, (task) => {
    detail.replaceChildren(close, ...renderDetail(task, suite));
    detail.scrollTop = 0;
    detail.classList.toggle('open', matchMedia('(max-width: 60rem)').matches);
  });
  const bar = createToolbar(suite, tasks, list);
  page.replaceChildren(
    ...suitePicker(index),
    renderSummary(data, suite),
    bar.element,
    el('div', 'work', list.element, detail),
    el('footer', 'muted small', `Touchstone ${data.version}`),
  );
  bar.apply();
  if (!matchMedia('(max-width: 60rem)').matches) list.select(0);
}

function suitePicker(shown) {
  if (data.suites.length < 2) return [];
  const picker = withAttributes(el('select', 'picker'), { 'aria-label': 'Suite' });
  data.suites.forEach(({ suite, runs }, index) => {
    const words = runs.map(({ verdict }) => verdict.word).join(', ');
    picker.append(withAttributes(el('option', '', `${words}: ${suite}, ${runs[0].name}`), { value: index }));
  });
  picker.value = String(shown);
  picker.addEventListener('change', () => showSuite(Number(picker.value)));
  return [picker];
}

/** Which tasks are listed: by what became of them, by tag, and by words that stand anywhere in them. */
function createToolbar(suite, tasks, list) {
  const state = { filter: 'all', tag: '', words: '' };
  const haystacks = new Map();
  const filters = filtersFor(suite, tasks);
  const search = withAttributes(el('input', 'search'), {
    type: 'search',
    placeholder: 'Find tasks',
    'aria-label': 'Find tasks',
  });
  const buttons = filters.map(({ name, label, fits }) => {
    const button = withAttributes(
      el('button', '', `${label} `, el('span', 'muted', whole(tasks.filter(fits).length))),
      {
        'aria-pressed': 'false',
      },
    );
    button.addEventListener('click', () => change({ filter: name }));
    return { name, button };
  });
  const tags = tagPicker(tasks, (tag) => change({ tag }));
  search.addEventListener('input', () => change({ words: search.value.toLowerCase() }));

  function change(part) {
    Object.assign(state, part);
    apply();
  }

  function holds(task) {
    if (state.words === '') return true;
    if (!haystacks.has(task)) haystacks.set(task, JSON.stringify(task).toLowerCase());
    return haystacks.get(task).includes(state.words);
  }

  function apply() {
    const { fits } = filters.find(({ name }) => name === state.filter);
    for (const { name, button } of buttons)
      button.setAttribute('aria-pressed', String(name === state.filter));
    list.show(
      tasks.filter(
        (task) => fits(task) && (state.tag === '' || task.tags.includes(state.tag)) && holds(task),
      ),
    );
  }

  const element = el(
    'div',
    'toolbar',
    el('div', 'filters', ...buttons.map(({ button }) => button)),
    tags,
    search,
  );
  return { element, apply };
}

function filtersFor(suite, tasks) {
  const filters = [
    { name: 'all', label: 'All', fits: () => true },
    { name: 'failed', label: 'Failed', fits: (task) => statusOf(task) === 'failed' },
    { name: 'unscored', label: 'Not scored', fits: (task) => statusOf(task) === 'unscored' },
    { name: 'passed', label: 'Passed', fits: (task) => statusOf(task) === 'passed' },
    ...(suite.runs.length > 1 ? [{ name: 'differ', label: 'Differ', fits: differs }] : []),
    { name: 'changed', label: 'Changed', fits: (task) => task.before !== undefined },
  ];
  return filters.filter(({ name, fits }) => name === 'all' || tasks.some(fits));
}

function tagPicker(tasks, choose) {
  const tags = [...new Set(tasks.flatMap((task) => task.tags))].sort();
  if (tags.length === 0) return undefined;
  const picker = withAttributes(el('select', ''), { 'aria-label': 'Tag' });
  picker.append(withAttributes(el('option', '', 'Any tag'), { value: '' }));
  for (const tag of tags) picker.append(withAttributes(el('option', '', tag), { value: tag }));
  picker.addEventListener('change', () => choose(picker.value));
  return picker;
}
