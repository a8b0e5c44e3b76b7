import { createReadStream, existsSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export type TestRegistry = {
  readonly url: string;
  /** Paths that were asked for, since the last call. */
  asked(): readonly string[];
  /** Answers a path in another way than by its file. */
  answer(path: string, how: (response: ServerResponse) => void): void;
  close(): Promise<void>;
};

/** A static folder, served on loopback as any web server would. */
export async function serveFolder(folder: string): Promise<TestRegistry> {
  let requests: string[] = [];
  const others = new Map<string, (response: ServerResponse) => void>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const other = others.get(path);
    const file = join(folder, path.replace(/^\/suites/, ''));
    if (other) other(response);
    else if (existsSync(file)) createReadStream(file).pipe(response.writeHead(200));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/suites/`,
    asked() {
      const asked = requests;
      requests = [];
      return asked;
    },
    answer: (path, how) => void others.set(path, how),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
