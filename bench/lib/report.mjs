// What was measured, as lines while it happens and as one table at the end.

/**
 * A row is `{ what, ours, floor?, ratio?, target?, ok? }`: the first four are shown as they are; `ok` is true or false
 * against the target, and absent where there is none.
 */
export function createReport({ json }) {
  const rows = [];
  const measurements = [];
  const say = (line = '') => json || process.stdout.write(`${line}\n`);
  return {
    rows,
    say,
    heading: (title) => say(`\n${title}`),
    /** A measurement as it was taken, for `--json` and for whoever wants more than the table. */
    note(part, facts) {
      measurements.push({ part, ...facts });
      say(
        `  ${Object.entries(facts)
          .map(([name, value]) => `${name} ${shown(value)}`)
          .join('  ')}`,
      );
    },
    row: (row) => rows.push(row),
    end(machine) {
      if (json) process.stdout.write(`${JSON.stringify({ machine, measurements, rows }, null, 2)}\n`);
      else say(`\n${renderTable(rows)}`);
    },
  };
}

const shown = (value) => (typeof value === 'number' ? String(rounded(value)) : String(value));
const rounded = (number) => (Math.abs(number) >= 100 ? Math.round(number) : Number(number.toPrecision(3)));

export const times = (ratio) => `${ratio.toFixed(2)} ×`;
export const seconds = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`);
export const perSecond = (n, ms) => `${Math.round((n / ms) * 1000).toLocaleString('en')}/s`;

const COLUMNS = ['what', 'ours', 'floor', 'ratio', 'target', 'ok?'];

function renderTable(rows) {
  const cells = rows.map(({ what, ours, floor = '', ratio = '', target = '', ok }) => [
    what,
    ours,
    floor,
    ratio,
    target,
    ok === undefined ? '' : ok ? 'yes' : 'NO',
  ]);
  const widths = COLUMNS.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at].length)));
  const line = (row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]))
      .join('  ')
      .trimEnd();
  return [line(COLUMNS), line(widths.map((width) => '─'.repeat(width))), ...cells.map(line)].join('\n');
}
