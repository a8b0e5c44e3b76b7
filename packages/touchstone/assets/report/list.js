import { el, letterOf, statusOf, withAttributes } from './elements.js';

/** Every row is as high as this, so that only those on the screen have to be there. As in the style. */
const ROW_HEIGHT = 38;
const MARGIN_ROWS = 10;

/** A list that holds any number of tasks, and makes the rows that can be seen. */
export function createList(suite, choose) {
  const several = suite.runs.length > 1;
  const filler = el('div', 'filler');
  const view = withAttributes(el('div', 'rows', filler), {
    tabindex: '0',
    role: 'listbox',
    'aria-label': 'Tasks',
  });
  const state = { tasks: [], chosen: undefined };

  function draw() {
    const from = Math.max(0, Math.floor(view.scrollTop / ROW_HEIGHT) - MARGIN_ROWS);
    const to = Math.ceil((view.scrollTop + view.clientHeight) / ROW_HEIGHT) + MARGIN_ROWS;
    filler.style.height = `${state.tasks.length * ROW_HEIGHT}px`;
    filler.replaceChildren(...state.tasks.slice(from, to).map((task, at) => row(task, from + at)));
    if (state.tasks.length === 0) filler.replaceChildren(el('p', 'muted empty', 'No task fits.'));
  }

  function row(task, index) {
    const scores = task.runs.map((cell) =>
      el('span', `score ${paintOf(cell)}`, cell === null ? '' : cell.score === null ? '–' : cell.shown),
    );
    const time = several ? [] : [el('span', 'time muted', task.runs[0]?.repeats[0]?.time ?? '')];
    const name = withAttributes(el('span', 'name', task.id), { title: task.id });
    const tags = task.tags.map((tag) => el('span', 'tag', tag));
    const element = el(
      'div',
      'row',
      el('span', `state ${statusOf(task)}`),
      name,
      ...tags,
      ...time,
      ...scores,
    );
    element.style.top = `${index * ROW_HEIGHT}px`;
    element.addEventListener('click', () => select(index));
    return withAttributes(element, { role: 'option', 'aria-selected': String(task === state.chosen) });
  }

  function select(index) {
    const task = state.tasks[Math.max(0, Math.min(index, state.tasks.length - 1))];
    if (!task) return;
    state.chosen = task;
    draw();
    choose(task);
  }

  function move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = Math.max(0, Math.min(state.tasks.indexOf(state.chosen) + step, state.tasks.length - 1));
    const top = index * ROW_HEIGHT;
    if (top < view.scrollTop) view.scrollTop = top;
    if (top + ROW_HEIGHT > view.scrollTop + view.clientHeight)
      view.scrollTop = top + ROW_HEIGHT - view.clientHeight;
    select(index);
  }

  view.addEventListener('scroll', draw, { passive: true });
  view.addEventListener('keydown', move);
  addEventListener('resize', draw);
  return {
    element: el('div', 'list', listHead(suite, several), view),
    draw,
    show(tasks) {
      state.tasks = tasks;
      view.scrollTop = 0;
      draw();
    },
    select,
  };
}

const listHead = (suite, several) =>
  el(
    'div',
    'row head muted',
    el('span', 'name', 'task'),
    ...(several ? [] : [el('span', 'time', 'time')]),
    ...suite.runs.map((run, index) =>
      withAttributes(el('span', 'score', several ? letterOf(index) : 'score'), { title: run.name }),
    ),
  );

const paintOf = (cell) =>
  cell === null ? '' : cell.score === null ? 'yellow' : cell.passed ? 'green' : 'red';
