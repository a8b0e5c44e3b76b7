import { describe, expect, test } from 'vitest';
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

describe('in the log of a job', () => {
  const written: string[] = [];
  const out = createOut({
    isTTY: false,
    columns: 80,
    isJobLog: true,
    write: (text) => void written.push(text),
  });

  test('no text of others is a command to the runner', () => {
    out.write('::add-mask::x\n \t\u00a0::stop-commands::y\na ::b ##[error]z\n');
    expect(written.splice(0)).toEqual([
      '\\u003a:add-mask::x\n \t\u00a0\\u003a:stop-commands::y\na ::b #\\u0023[error]z\n',
    ]);
  });

  test('a document stays the same', () => {
    const document = { text: '##[error]x\n::error::y', list: ['::a::b'] };
    out.write(JSON.stringify(document, null, 2));
    expect(JSON.parse(written.splice(0).join(''))).toEqual(document);
  });

  test('a command of this program is one line', () => {
    out.writeCommand('::error title=a::b\n::add-mask::c');
    expect(written.splice(0)).toEqual(['::error title=a::b\\n::add-mask::c\n']);
  });
});

test('a line that is rewritten stays one line', () => {
  const { out, written } = open(true);
  out.rewriteLine(`waiting\n${HOSTILE}`);
  expect(written).toEqual([`\rwaiting\\n${VISIBLE}\u001b[K`]);
});
