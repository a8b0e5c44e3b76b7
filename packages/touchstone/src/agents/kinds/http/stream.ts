import { type Json, parseJson } from '@touchstone/protocol';

/** How a service sends its answer piece by piece. */
export type StreamFormat = 'sse' | 'jsonl';

const DONE = '[DONE]';
/** A line that ends a stream although the connection stays open. JSON cannot hold it: it writes line breaks as `\n`. */
const DONE_LINE = /(?:^|[\r\n])(?:data:)? *\[DONE\] *[\r\n]/;
export const endsStream = (text: string): boolean => DONE_LINE.test(text);

/** What the pieces hold, up to `[DONE]` or the end: JSON, or the text where it is not. `name` picks events of that name. */
export function readStream(text: string, format: StreamFormat, name?: string): readonly Json[] {
  const pieces = format === 'sse' ? readEvents(text, name) : text.split('\n').map((line) => line.trim());
  const end = pieces.indexOf(DONE);
  return (end < 0 ? pieces : pieces.slice(0, end)).filter((piece) => piece !== '').map(readJsonOrText);
}

/** JSON, or what is not JSON as the text it is. Some services write a mark of the byte order first, which no JSON may hold. */
export function readJsonOrText(text: string): Json {
  const plain = text.replace(/^\ufeff/, '');
  return parseJson(plain) ?? plain;
}

/** The data of server-sent events. Lines of one event belong together; comments and other fields say nothing here. */
function readEvents(text: string, name: string | undefined): readonly string[] {
  const blocks = text
    .replace(/^\ufeff/, '')
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n\n+/);
  return blocks.flatMap((block) => {
    const fields = block.split('\n').map(readField);
    const data = fields.filter(([field]) => field === 'data').map(([, value]) => value);
    const event = fields.findLast(([field]) => field === 'event')?.[1] ?? 'message';
    const counts = name === undefined || event === name || data[0] === DONE;
    return counts && data.length > 0 ? [data.join('\n')] : [];
  });
}

function readField(line: string): readonly [field: string, value: string] {
  const colon = line.indexOf(':');
  return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}
