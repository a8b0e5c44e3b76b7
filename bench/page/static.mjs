// The floor: a page with the first hundred rows already in it, drawn as ours draws them, and the stylesheet of ours. Nothing to run,
// nothing to ask for.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

export async function withStaticPage(assets, rows, use) {
  const style = readdirSync(assets).find((name) => name.endsWith('.css'));
  const css = readFileSync(join(assets, style));
  const html = document(rows);
  const server = createServer((request, response) => {
    const isStyle = request.url.endsWith('.css');
    response.setHeader('content-type', isStyle ? 'text/css' : 'text/html; charset=utf-8');
    response.end(isStyle ? css : html);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const document = (rows) => `<!doctype html><html lang="en"><head><title>Rows</title>
<link rel="stylesheet" href="style.css"></head><body><div class="grid grid-tasks"><div class="grid-rows">
${rows.join('\n')}
</div></div></body></html>`;
