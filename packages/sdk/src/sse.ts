/** One message of a `text/event-stream`. */
export type SseMessage = {
  /** What to send as `Last-Event-ID` to continue after it; undefined when the message has none. */
  readonly id: string | undefined;
  /** The kind of message; `message` when the stream does not say. */
  readonly event: string;
  /** Its lines, joined. */
  readonly data: string;
};
/** Reads one connection's bytes; a new connection needs a new parser. */
export type SseParser = {
  /** The messages that this chunk completes, in order. */
  push(chunk: Uint8Array): SseMessage[];
};

/**
 * Turns the bytes of a `text/event-stream` into messages. A message exists when its blank line has arrived; whatever
 * is cut off before that is forgotten with the parser, and the reader asks for it again by the last id it saw.
 */
export function createSseParser(): SseParser {
  // Streaming mode keeps the bytes of a character that a chunk boundary has split.
  const decoder = new TextDecoder();
  let rest = '';
  let skipLineFeed = false;
  let id: string | undefined;
  let event = '';
  let data: string[] = [];

  function push(chunk: Uint8Array): SseMessage[] {
    const messages: SseMessage[] = [];
    for (const line of takeLines(decoder.decode(chunk, { stream: true }))) {
      if (line !== '') readField(line);
      else if (data.length > 0) messages.push(takeMessage());
      else event = '';
    }
    return messages;
  }

  function takeLines(text: string): string[] {
    const fresh = skipLineFeed && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') skipLineFeed = text.endsWith('\r');
    const lines = (rest + fresh).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    return lines;
  }

  function readField(line: string): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
  }

  function takeMessage(): SseMessage {
    const message = { id, event: event || 'message', data: data.join('\n') };
    event = '';
    data = [];
    return message;
  }

  return { push };
}
