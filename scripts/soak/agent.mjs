// The agent of every run: right about most numbers, wrong about some, at times slow, at times with a large answer.
import { createServer } from 'node:http';

/** Stands in every input and every answer, and nowhere that is free of content. */
export const CANARY = 'canary-7f3a91';

/** What one call costs, when it is sold at all. */
export const CALL_USD = 0.01;

export const isRight = (number) => number % 5 !== 3;

const answerTo = ({ number, bytes = 0 }) =>
  `${isRight(number) ? `answer ${number};` : 'no idea'} ${CANARY}${'.'.repeat(bytes)}`;

/**
 * A server of this process, at one address from the first host to the last. `onCall` gets each request with who sent it, and may
 * say what was used for its answer.
 */
export async function startAgent(onCall = () => undefined) {
  const server = createServer(async (request, response) => {
    try {
      const { runId, input } = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8'));
      const usage = onCall({ runId, number: input?.number, caller: request.headers['x-caller'] });
      const answer = () => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ output: answerTo(input), usage }));
      };
      setTimeout(answer, input?.delayMs ?? 0);
    } catch {
      // The host was killed while it asked, or fuzz asks for something else.
      response.destroy();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}
