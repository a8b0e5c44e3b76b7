// Everything on the page is made here, of text nodes: nothing that a suite or an agent said is ever read as markup.

/** As on a terminal: what acts on a screen or hides in a text is shown as JSON would write it. */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb\ufffe\uffff]/gu;
const IS_KEPT = /^[\n\t]$/;
const IS_PRESENTATION = /^[\ufe0e\ufe0f]$/;

export const visible = (text) =>
  text.replace(HIDDEN, (char, at, whole) => {
    const isDrawn = IS_PRESENTATION.test(char) && /\p{Emoji}$/u.test(whole.slice(Math.max(0, at - 2), at));
    if (isDrawn || IS_KEPT.test(char)) return char;
    return char
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
  });

const isShown = (child) => child !== undefined && child !== null && child !== '';

/** An element with a class, attributes and children; a child that is a text becomes a text node. */
export function el(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  const shown = children.flat().filter(isShown);
  element.append(...shown.map((child) => (typeof child === 'string' ? visible(child) : child)));
  return element;
}

export function withAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) element.setAttribute(name, value);
  return element;
}

export const pill = (text, paint) => el('span', `pill ${paint}`, text);

/** A, B, …: short names of variants, which the table of them explains. */
export const letterOf = (index) =>
  String.fromCharCode(65 + (index % 26)) + (index < 26 ? '' : Math.floor(index / 26));

/** What a value looks like to a reader: a text as it is, anything else as JSON. */
export const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

export const whole = (count) => count.toLocaleString('en-US');

/** What became of a task over all runs that are shown. */
export function statusOf(task) {
  const cells = task.runs.filter((cell) => cell !== null);
  if (cells.some((cell) => cell.score === null)) return 'unscored';
  return cells.every((cell) => cell.passed) ? 'passed' : 'failed';
}

/** Whether the runs scored the task differently. */
export const differs = (task) =>
  task.runs.some((cell) => (cell?.score ?? null) !== (task.runs[0]?.score ?? null));
