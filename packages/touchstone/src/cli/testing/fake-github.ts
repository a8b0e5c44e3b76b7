import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type FakeGithub = {
  readonly url: string;
  /** Comments of the one pull request there is, oldest first. */
  readonly comments: { id: number; body: string }[];
  /** Every request, as `METHOD path` with its token. */
  readonly requests: { readonly line: string; readonly authorization: string | undefined }[];
  /** Answer writes with this status. */
  refuseWith(status: number): void;
  close(): Promise<void>;
};

const COMMENTS = /^\/repos\/acme\/shop\/issues\/(?:7\/comments|comments\/(?<id>\d+))$/;

/** The comments of pull request 7 of acme/shop, on loopback. Everything under `/moved` is a redirect to there. */
export async function openFakeGithub(): Promise<FakeGithub> {
  const comments: FakeGithub['comments'] = [];
  const requests: { line: string; authorization: string | undefined }[] = [];
  let refusal: number | undefined;
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://fake');
    const { method = '', headers } = request;
    requests.push({ line: `${method} ${request.url}`, authorization: headers.authorization });
    const found = COMMENTS.exec(pathname);
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (pathname.startsWith('/moved/')) {
      response.writeHead(302, { location: (request.url ?? '').replace('/moved', '') }).end();
      return;
    }
    if (!found) return answer(404, {});
    if (method === 'GET') {
      const [size, page] = [Number(searchParams.get('per_page')), Number(searchParams.get('page'))];
      return answer(200, comments.slice((page - 1) * size, page * size));
    }
    if (refusal !== undefined) return answer(refusal, { message: 'Resource not accessible by integration' });
    const { body } = JSON.parse(await textOf(request)) as { body: string };
    const known = comments.find(({ id }) => id === Number(found.groups?.id));
    if (known) known.body = body;
    else comments.push({ id: 100 + comments.length, body });
    return answer(known ? 200 : 201, known ?? comments.at(-1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    comments,
    requests,
    refuseWith(status) {
      refusal = status;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
