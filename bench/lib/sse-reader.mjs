// Reads one event stream and checks that every event came once and in order.
import { request } from 'node:http';

const ID = Buffer.from('id: ');
const LINE_END = 10;

export function readStream(client, runId) {
  return new Promise((resolve, reject) => {
    const counter = createCounter();
    const asked = request(`${client.url}/v1/runs/${runId}/events?streamMode=debug`, {
      headers: client.headers,
      agent: false,
    });
    asked.on('error', reject);
    asked.on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`The stream answered ${response.statusCode}.`));
      response.on('data', counter.take);
      response.on('error', reject);
      response.on('end', () => resolve(counter.end()));
    });
    asked.end();
  });
}

/** Looks at lines that begin with `id: ` and nothing else: the reader should not be what is measured. */
function createCounter() {
  let rest = Buffer.alloc(0);
  let events = 0;
  let bytes = 0;
  let inOrder = true;
  const takeLine = (line) => {
    if (!line.subarray(0, ID.length).equals(ID)) return;
    if (Number(line.subarray(ID.length).toString('latin1')) !== events) inOrder = false;
    events += 1;
  };
  return {
    take(chunk) {
      bytes += chunk.length;
      const data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      let from = 0;
      for (let to = data.indexOf(LINE_END); to !== -1; to = data.indexOf(LINE_END, from)) {
        takeLine(data.subarray(from, to));
        from = to + 1;
      }
      rest = data.subarray(from);
    },
    end: () => ({ events, bytes, inOrder }),
  };
}
