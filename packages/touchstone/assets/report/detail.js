import { diffTexts } from './diff.js';
import { el, letterOf, pill, statusOf, textOf } from './elements.js';

const PAINTS = { passed: 'green', failed: 'red', unscored: 'yellow' };

/** All of one task: what was asked and expected, and what each run made of it. */
export function renderDetail(task, suite) {
  const first = task.runs.find((cell) => cell !== null)?.repeats[0];
  const status = statusOf(task);
  return [
    el(
      'div',
      'title',
      el('h2', '', task.id),
      pill(status, PAINTS[status]),
      ...task.tags.map((tag) => el('span', 'tag', tag)),
    ),
    task.before === undefined ? undefined : el('p', 'muted', `score in the baseline: ${task.before}`),
    first?.input === undefined ? undefined : block('Input', first.input),
    first?.expected?.kind === 'golden' ? expectedBlock(first.expected) : undefined,
    ...task.runs.map((cell, index) => runSection(cell, index, task, suite)),
  ].filter((part) => part !== undefined);
}

const expectedBlock = ({ match }) => block(`Expected (${match.strategy})`, match.value);

const block = (label, value) => el('section', 'block', el('h3', '', label), el('pre', '', textOf(value)));

function runSection(cell, index, task, suite) {
  const several = suite.runs.length > 1;
  const head = several
    ? [el('span', 'letter', letterOf(index)), el('span', 'strong', suite.runs[index].name)]
    : [el('span', 'strong', 'Result')];
  if (cell === null)
    return el('section', 'cell', el('div', 'cell-head', ...head, el('span', 'muted', 'not run')));
  const paint = cell.score === null ? 'yellow' : cell.passed ? 'green' : 'red';
  const repeats = cell.repeats.map((repeat) => repeatPart(repeat, index, task));
  return el(
    'section',
    'cell',
    el('div', 'cell-head', ...head, pill(cell.shown, paint), el('span', 'muted', cell.why ?? '')),
    ...(repeats.length === 1 ? repeats : repeats.map((part, at) => repeatFold(part, cell.repeats[at]))),
  );
}

function repeatFold(part, repeat) {
  const fold = el('details', '', el('summary', '', `repeat ${repeat.repeat}: ${repeat.shown}`), part);
  fold.open = !repeat.passed;
  return fold;
}

function repeatPart(repeat, index, task) {
  const facts = [
    repeat.outcome,
    repeat.time,
    repeat.costUsd === undefined ? undefined : `$${Number(repeat.costUsd.toPrecision(3))}`,
    repeat.tokens && `${repeat.tokens.input} tokens in, ${repeat.tokens.output} out`,
  ];
  return el(
    'div',
    'repeat',
    el('div', 'muted small', facts.filter((fact) => fact !== undefined).join(' · ')),
    el(
      'div',
      'findings',
      ...repeat.findings.map(({ kind, severity }) => pill(`${kind}, ${severity}`, 'red')),
    ),
    criteriaList(repeat),
    answerPart(repeat, index, task),
    ...freeReasons(repeat),
    callsPart(repeat.toolCalls),
  );
}

function criteriaList({ criteria, reasons = [] }) {
  if (criteria.length === 0) return undefined;
  const reasonOf = new Map(reasons.map(({ criterion, reason }) => [criterion, reason]));
  return el('ul', 'criteria', ...criteria.map((one) => criterionItem(one, reasonOf.get(one.id))));
}

function criterionItem({ id, met, weight, value, check, text, unjudged }, reason) {
  const isMet = met === 1;
  const facts = [
    check,
    unjudged && `not judged: ${unjudged}`,
    value === undefined ? undefined : `degree ${Number(value.toPrecision(3))}`,
    weight === 1 ? undefined : `weight ${weight}`,
  ].filter((fact) => fact);
  return el(
    'li',
    isMet ? 'green' : 'red',
    el('span', 'mark', isMet ? '✓' : '✗'),
    el('span', 'words', text ?? id, facts.length > 0 ? el('span', 'muted', `  ${facts.join(' · ')}`) : ''),
    reason ? el('div', 'reason muted', reason) : undefined,
  );
}

const freeReasons = ({ reasons = [] }) =>
  reasons
    .filter(({ criterion }) => criterion === undefined)
    .map(({ reason }) => el('p', 'reason muted', reason));

/** Texts whose every word counts are compared with what was expected, others with the answer of the first run. */
function answerPart(repeat, index, task) {
  if (repeat.output === undefined) return undefined;
  const answer = textOf(repeat.output);
  const against = referenceOf(repeat, index, task);
  const parts = against && against.text !== answer ? diffTexts(against.text, answer) : undefined;
  if (!parts) return block(against?.text === answer ? `Answer, ${against.same}` : 'Answer', answer);
  const spans = parts.map(({ kind, text }) =>
    el(kind === 'gone' ? 'del' : kind === 'new' ? 'ins' : 'span', '', text),
  );
  return el(
    'section',
    'block',
    el('h3', '', `Answer, compared with ${against.name}`),
    el('pre', '', ...spans),
  );
}

const WHOLE_TEXTS = ['exact', 'json-match'];

function referenceOf(repeat, index, task) {
  const { kind, match } = repeat.expected ?? {};
  if (kind === 'golden' && WHOLE_TEXTS.includes(match.strategy))
    return { name: 'what was expected', same: 'as expected', text: textOf(match.value) };
  const first = index > 0 ? task.runs[0]?.repeats[0]?.output : undefined;
  return first === undefined ? undefined : { name: 'A', same: 'as A', text: textOf(first) };
}

function callsPart(calls = []) {
  if (calls.length === 0) return undefined;
  const items = calls.map(({ toolId, status, inputs, outcome }) =>
    el(
      'li',
      '',
      el('span', 'strong', toolId),
      el('span', 'muted', `  ${status}`),
      el('pre', '', textOf(inputs)),
      outcome === undefined ? undefined : el('pre', '', textOf(outcome)),
    ),
  );
  return el('details', 'calls', el('summary', '', `Tool calls (${calls.length})`), el('ol', '', ...items));
}
