import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRows } from './read-rows.js';
import { allRows, pieces, rowsOf, troubleOf } from './testing/reading.js';

const INPUTS = [
  { input: 'a', at: 1 },
  { input: 'b', at: 2 },
];

describe('formats', () => {
  it.each([
    ['[{"input":"a"},{"input":"b"}]', {}],
    ['\uFEFF \n[{"input":"a"},\n{"input":"b"}]', { name: 'x.json' }],
    ...['tasks', 'cases', 'rows', 'examples', 'data'].map((list) => [
      `{"name":"n","${list}":[{"input":"a"},{"input":"b"}]}`,
      {},
    ]),
    ['{"input":"a"}\n{"input":"b"}', {}],
    ['\uFEFF{"input":"a"}\r\n{"input":"b"}\r\n', { name: 'x.txt', mediaType: 'text/plain' }],
    ['{"input":"a"}\n{"input":"b"}', { name: 'rows', mediaType: 'application/x-ndjson; charset=utf-8' }],
    ['{"input":"a"}\n{"input":"b"}', { name: 'rows.NDJSON', mediaType: 'application/json' }],
  ] as [string, object][])('%j as %j', async (text, options) => {
    expect(await rowsOf(text, options)).toEqual(INPUTS);
  });

  it('a row is where its line is, past empty lines and lines inside quotes', async () => {
    const jsonl = '\n{"input":"a"}\n   \n\n{"input":"b"}\n';
    expect((await rowsOf(jsonl, { format: 'jsonl' })).map(({ at }) => at)).toEqual([2, 5]);
    const csv = '\uFEFF\r\ninput,id\r\n"two\r\nlines",1\r\n\r\n\r\n"with ""quotes"", too",2\r\nlast,';
    expect(await rowsOf(csv)).toEqual([
      { input: 'two\r\nlines', id: '1', at: 3 },
      { input: 'with "quotes", too', id: '2', at: 7 },
      { input: 'last', at: 8 },
    ]);
  });

  it('cells that open like JSON are JSON, and other cells are text', async () => {
    const csv = 'input,expected,reference\n"{""a"":[1]}",42,"[""x"",""y""]"\n';
    expect(await rowsOf(csv)).toEqual([{ input: { a: [1] }, expected: '42', reference: ['x', 'y'], at: 2 }]);
  });

  it.each(['rows.zip', 'rows.jsonl.gz', 'rows.parquet', 'rows.yaml'])('%s is not read', async (name) => {
    expect(await troubleOf(rowsOf('x', { name }))).toMatchObject({ code: 'format_unsupported' });
  });

  it('packed bytes are noticed without a name', async () => {
    const gzip = new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0]);
    expect(await troubleOf(rowsOf(gzip))).toMatchObject({ code: 'format_unsupported' });
  });

  it('an empty file has no rows', async () => {
    for (const format of ['jsonl', 'csv', undefined] as const) {
      expect(await rowsOf('', format ? { format } : {})).toEqual([]);
    }
  });
});

describe('files that cannot be read', () => {
  it.each([
    [
      'x.jsonl',
      '{"input":1}\n{"input":2,}\n{"input":\n',
      [
        '2:/1 Expected a member name in double quotes.',
        '3:/2/input The file ends too early. Expected a value.',
      ],
    ],
    ['x.jsonl', '{"input":1,"input":2}', ['1:/0/input This member name is already used in the same object.']],
    ['x.jsonl', '\n{"input":1e999}', ['2:/0/input Expected a finite number that fits a double.']],
    ['x.json', '[\n{"input":1},\n{"prompt":\n}]', ['4:/1/prompt Expected a value.']],
    [
      'x.json',
      '{"cases":[\n{"input":1},\n{}\n]}',
      ['3:/cases/1 Expected an input: one of input, inputs, prompt, question, objective.'],
    ],
    [
      'x.json',
      '{"rows":[],"data":[]}',
      [
        '1: Expected an array of rows, or an object with one of tasks, cases, rows, examples, data; it has rows and data.',
      ],
    ],
    [
      'x.json',
      '"rows"',
      [
        '1: Expected an array of rows, or an object with one of tasks, cases, rows, examples, data; got a string.',
      ],
    ],
    ['x.csv', 'id,text\n1,x\n', ['1: Expected an input: one of input, inputs, prompt, question, objective.']],
    ['x.csv', 'input,,input\n', ['1: Column 2 has no name.', '1: Column 3 has the name of an earlier one.']],
    [
      'x.csv',
      'input,id\n"a\n\nb",1\nc\nd,2,3\n',
      ['5:/1 Expected 2 cells, as in the header, got 1.', '6:/2 Expected 2 cells, as in the header, got 3.'],
    ],
    [
      'x.csv',
      'input,id\na,1\n[urgent] help,2\n',
      ['3:/1/input/0 A cell that opens with "{" or "[" is read as JSON. Expected a value.'],
    ],
    ['x.csv', 'input\na\n"b\nc\n', ['3: A quote that opens in this line is never closed.']],
    [
      'x.csv',
      'input\na\n"b"c\n',
      [
        '3: Expected a comma or the end of the line after a closing quote. Write a quote inside quotes twice.',
      ],
    ],
    [
      'x.csv',
      'input\na\nb"c"\n',
      ['3: A quote may only open a cell. Put the whole cell in quotes, and write quotes in it twice.'],
    ],
  ])('%s %j', async (name, text, issues) => {
    for (const size of [1, 3, 1_000]) {
      const trouble = await troubleOf(allRows(readRows(pieces(text, size), { name })));
      expect(trouble).toEqual({ code: 'invalid_rows', issues });
    }
  });

  it.each(['x.jsonl', 'x.csv', 'x.json'])('%s in another encoding is refused by its line', async (name) => {
    const start = name === 'x.csv' ? 'input\nna' : '{"input":"ok"}\n{"input":"na';
    const bytes = Buffer.concat([Buffer.from(start), Buffer.from([0xef]), Buffer.from('ve"}\n')]);
    const { code, issues } = await troubleOf(rowsOf(bytes, { name }));
    expect({ code, issue: issues[0] }).toEqual({
      code: 'invalid_rows',
      issue: expect.stringMatching(/^2:.* ?Expected UTF-8/),
    });
  });

  it('no error and no warning quotes the file', async () => {
    const texts = [
      '{"input":1,"match":"CANARY"}',
      '{"input":"CANARY",}',
      'CANARY',
      '[CANARY]',
      '{"input":CANARY}',
    ];
    for (const name of ['x.jsonl', 'x.json', 'x.csv']) {
      for (const text of texts) {
        const trouble = await troubleOf(rowsOf(`${text}\n`, { name }));
        expect(JSON.stringify(trouble)).not.toContain('CANARY');
      }
    }
    expect(JSON.stringify(await troubleOf(rowsOf('input\nCAN"ARY"\n')))).not.toContain('ARY');
  });

  it('many broken rows are told up to twenty, and reading ends there', async () => {
    let made = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        made += 1;
        yield Buffer.from('{}\n');
      }
    }
    const { issues } = await troubleOf(allRows(readRows(endless(), { format: 'jsonl' })));
    expect(issues).toHaveLength(20);
    expect(made).toBeLessThan(30);
  });

  it.each(['jsonl', 'csv'] as const)('a line without end of %s is not collected', async (format) => {
    async function* long(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(format === 'csv' ? 'input\n' : '{"input":"');
      for (let made = 0; made < 100; made += 1) yield Buffer.alloc(1_000, 'x');
    }
    const { issues } = await troubleOf(allRows(readRows(long(), { format, maxRowBytes: 10_000 })));
    expect(issues).toEqual([expect.stringMatching(/at most 10000 bytes/)]);
  });

  it('a JSON file has a size', async () => {
    const text = JSON.stringify([{ input: 'x'.repeat(200) }]);
    expect(await troubleOf(rowsOf(text, { name: 'x.json', maxJsonBytes: 100 }))).toMatchObject({
      code: 'dataset_too_large',
    });
  });
});

describe('what the bytes are', () => {
  const text = '\uFEFF{"input":"é"}\n\n{"input":2}\n';
  const sha256 = createHash('sha256').update(text).digest('hex');

  it('is known once the rows have been read', async () => {
    const rows = readRows(pieces(text), { name: 'x.jsonl', pin: sha256 });
    expect(() => rows.facts()).toThrow('not been read');
    await allRows(rows);
    expect(rows.facts()).toEqual({ sha256, bytes: Buffer.byteLength(text), format: 'jsonl', rows: 2 });
  });

  it('rows are the same wherever the chunks are cut, in each format', async () => {
    // Through text and back once, so that minus zero is the zero that JSON makes of it.
    const input = fc.json().map((text): unknown => [JSON.parse(text)]);
    const id = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !/^\s*[{[]/.test(text));
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ id, input })),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom('', '\uFEFF'),
        async (rows, size, mark) => {
          const read = async (format: 'json' | 'jsonl' | 'csv', content: string) => {
            const all = await allRows(readRows(pieces(mark + content, size), { format }));
            expect(all.map(({ at: _, ...row }) => row)).toEqual(rows);
          };
          await read('json', JSON.stringify(rows));
          await read('jsonl', rows.map((row) => JSON.stringify(row)).join('\n'));
          const lines = rows.map((row) => `${cell(row.id)},${cell(JSON.stringify(row.input))}`);
          await read('csv', ['id,input', ...lines].join('\r\n'));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('a wrong pin is fatal, and told before what is wrong with the rows', async () => {
    const pin = '0'.repeat(64);
    for (const content of [text, `${text}{oops\n{"input":3}\n`]) {
      const trouble = await troubleOf(rowsOf(content, { name: 'x.jsonl', pin }));
      expect(trouble.code).toBe('dataset_mismatch');
    }
    const broken = `${text}{oops\n`;
    const right = createHash('sha256').update(broken).digest('hex');
    expect((await troubleOf(rowsOf(broken, { name: 'x.jsonl', pin: right }))).code).toBe('invalid_rows');
  });

  it.each(['jsonl', 'csv', 'json'] as const)(
    'a reader of %s that leaves early lets the source go',
    async (format) => {
      let isOpen = true;
      async function* source(): AsyncGenerator<Uint8Array> {
        try {
          if (format === 'json') yield Buffer.from('[{"input":1},{"input":2}]');
          else if (format === 'csv') yield Buffer.from('input\n');
          while (format !== 'json') yield Buffer.from(format === 'csv' ? 'a\n' : '{"input":1}\n');
        } finally {
          isOpen = false;
        }
      }
      for await (const _ of readRows(source(), { format })) break;
      expect(isOpen).toBe(false);
    },
  );

  it('an error of the source is passed on as it is', async () => {
    async function* lost(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('input\na\n');
      throw new Error('gone');
    }
    for (const format of ['jsonl', 'csv', 'json'] as const) {
      await expect(allRows(readRows(lost(), { format, pin: '0'.repeat(64) }))).rejects.toThrow('gone');
    }
  });
});

describe('what is wrong with a file', () => {
  it('a second value on a line ends where the line should', async () => {
    const { issues } = await troubleOf(
      rowsOf('{"input":"a"} {"input":"b"}\n{"input":"c"}', { format: 'jsonl' }),
    );
    expect(issues).toEqual(['1:/0 Expected the end of the line after the first value.']);
  });

  it('lines that end in CR alone are no lines of a CSV file', async () => {
    const { code, issues } = await troubleOf(rowsOf('input,id\ra,1\rb,2\r', { format: 'csv' }));
    expect([code, issues]).toEqual(['invalid_rows', [expect.stringMatching(/^1: .*CRLF.*CR alone/)]]);
  });
});
