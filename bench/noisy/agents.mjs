// The agents of both tenants behind one origin, as a gateway is. A process of its own: building an answer of the neighbour must
// not delay a measurement. Prints its port.
import { createServer } from 'node:http';

const OBJECTS = 40_000;

const textOf = (bytes) => JSON.stringify({ output: 'x'.repeat(bytes) });
const large = textOf(2_000_000);
const largest = textOf(4_000_000);
const objects = JSON.stringify({ output: Array.from({ length: OBJECTS }, (_, number) => ({ number })) });

const json = (response, text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text);

const ANSWERS = {
  '/echo': (response, { input }) => json(response, JSON.stringify({ output: input })),
  '/large': (response) => json(response, large),
  '/largest': (response) => json(response, largest),
  '/objects': (response) => json(response, objects),
  '/limited': (response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
  '/silent': () => undefined,
};

const server = createServer(async (request, response) => {
  try {
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    (ANSWERS[request.url] ?? ANSWERS['/echo'])(response, JSON.parse(body));
  } catch {
    // The host has given the request up.
    response.destroy();
  }
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
