// The page in one file is written once for every report, so it is kept short: without the rules for what only a host has, and with
// short names for what nobody reads.

/** A class stands in the script whole, or is made there of two parts. */
function usedIn(script) {
  const words = new Set(script.match(/[\w-]+/g));
  return (name) =>
    words.has(name) ||
    [...name.matchAll(/-/g)].some(
      ({ index }) => words.has(name.slice(0, index + 1)) && words.has(name.slice(index + 1)),
    );
}

const CLASS = /\.([a-z][\w-]*)/gi;
const RULE = /([^{};]+)\{([^{}]*)\}/g;

/** Names of properties are read by no script. */
function shortStyle(css, script) {
  const isUsed = usedIn(script);
  const isNeeded = (selector) => [...selector.matchAll(CLASS)].every(([, name]) => isUsed(name));
  const names = new Map();
  return css
    .replace(RULE, (rule, selectors) => (selectors.split(',').some(isNeeded) ? rule : ''))
    .replace(/@[^{}]+\{\}/g, '')
    .replace(/--[a-z][a-z-]*/g, (name) => {
      if (!names.has(name)) names.set(name, `--${names.size.toString(36)}`);
      return names.get(name);
    });
}

/** What an element is given as its classes, where no part of it is made by the script. */
const GIVEN = /\bclass:`([^`$\\]*)`/g;

/** Classes that elements are given, and that stand nowhere else in the script: it does not look for them, or make them of parts. */
function plainClasses(css, script) {
  const names = new Set([...css.matchAll(CLASS)].map(([, name]) => name));
  const counts = (words) => {
    const found = new Map();
    for (const word of words) found.set(word, (found.get(word) ?? 0) + 1);
    return found;
  };
  const all = counts(script.match(/[\w-]+/g));
  const given = counts([...script.matchAll(GIVEN)].flatMap(([, text]) => text.split(' ')));
  return [...names].filter((name) => name.length > 3 && given.get(name) === all.get(name));
}

/** Script and style with the same short names of classes. A capital letter begins no class of the page. */
function withShortClasses(css, script) {
  const short = new Map(plainClasses(css, script).map((name, at) => [name, `C${at.toString(36)}`]));
  const rename = (name) => short.get(name) ?? name;
  return {
    script: script.replace(GIVEN, (_, text) => `class:\`${text.split(' ').map(rename).join(' ')}\``),
    css: css.replace(CLASS, (_, name) => `.${rename(name)}`),
  };
}

export const shortFile = (css, script) => withShortClasses(shortStyle(css, script), script);
