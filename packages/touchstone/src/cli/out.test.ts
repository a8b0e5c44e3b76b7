import { expect, test } from 'vitest';
import { createOut } from './out.js';
import { createInk } from './render/text.js';

function open(isTTY: boolean) {
  const written: string[] = [];
  return { written, out: createOut({ isTTY, columns: 80, write: (text) => void written.push(text) }) };
}

const HOSTILE = '\u001b]0;title\u0007\u001b[2J\u009b1A\rPASS\u202e\u{e0041}';
const VISIBLE = '\\u001b]0;title\\u0007\\u001b[2J\\u009b1A\\rPASS\\u202e\\udb40\\udc41';

test.each([true, false])('no text of others acts on a screen (terminal: %s)', (isTTY) => {
  const { out, written } = open(isTTY);
  out.write(`a\t${HOSTILE}\n`);
  expect(written).toEqual([`a\t${VISIBLE}\n`]);
});

test('the colours of this program reach a terminal, other sequences of the kind do not, and a pipe gets none', () => {
  const ink = createInk(true);
  const all = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan', 'inverse'] as const;
  const coloured = all.map((name) => ink[name](name)).join(ink.bold(ink.red('both')));
  const terminal = open(true);
  terminal.out.write(`${coloured}\u001b[8mhidden`);
  expect(terminal.written).toEqual([`${coloured}\\u001b[8mhidden`]);
  const pipe = open(false);
  pipe.out.write(ink.red('red'));
  expect(pipe.written).toEqual(['\\u001b[31mred\\u001b[39m']);
});

test('a line that is rewritten stays one line', () => {
  const { out, written } = open(true);
  out.rewriteLine(`waiting\n${HOSTILE}`);
  expect(written).toEqual([`\rwaiting\\n${VISIBLE}\u001b[K`]);
});
