// Reads rows that are made while they are read, in a process of its own, so that what it may hold can be limited.
const { readRows } = await import(process.argv[4]);

const count = Number(process.argv[2]);
const format = process.argv[3];
const LINES = {
  csv: (row) => `row-${row},"question ${row}, asked ""twice""",answer ${row}\n`,
  jsonl: (row) =>
    `{"id":"row-${row}","input":{"text":"question ${row}"},"expected":{"answer":${row}},"extra":1}\n`,
};

async function* chunks() {
  let text = format === 'csv' ? 'id,prompt,expected\n' : '';
  for (let row = 0; row < count; row += 1) {
    text += LINES[format](row);
    if (text.length < 60_000 && row < count - 1) continue;
    yield Buffer.from(text);
    text = '';
  }
}

const rows = readRows(chunks(), { format });
let last;
let highest = 0;
for await (const row of rows) {
  last = row;
  if (row.at % 50_000 === 0) {
    globalThis.gc();
    highest = Math.max(highest, process.memoryUsage().heapUsed);
  }
}
console.log(JSON.stringify({ rows: rows.facts().rows, last: last.id, at: last.at, highest }));
