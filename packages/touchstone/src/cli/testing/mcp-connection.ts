import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { Ajv2020 } from 'ajv/dist/2020.js';

type Message = {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly [name: string]: unknown };
  readonly result?: { readonly [name: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string };
};
export type ToolResult = {
  readonly isError?: true;
  readonly text: string;
  /** Holds the members of a structured result that fits the schema of its tool. */
  readonly value: { readonly [name: string]: unknown };
};

/** A client of an MCP server as a coding agent is one: a line each way. Whatever is no JSON-RPC on its stdout fails the test. */
export function connectMcp(stdin: Writable, stdout: Readable) {
  const ajv = new Ajv2020({ strict: false });
  const schemas = new Map<string, object>();
  const waiting = new Map<string | number, (message: Message) => void>();
  const listeners = new Set<(message: Message) => void>();
  const strayLines: string[] = [];
  createInterface({ input: stdout }).on('line', (line) => {
    const message = messageIn(line);
    if (!message) return strayLines.push(line);
    if (message.method !== undefined) for (const hear of listeners) hear(message);
    else waiting.get(message.id ?? '')?.(message);
    return undefined;
  });
  const write = (message: object): void =>
    void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let count = 0;
  const ask = (method: string, params: object, id: string | number = ++count): Promise<Message> =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      write({ id, method, params });
    });

  return {
    ask,
    notify: (method: string, params: object = {}) => write({ method, params }),
    /** Text as it is, for what no client should send. */
    send: (text: string) => void stdin.write(text),
    strayLines,
    /** Resolves with the first notification that the function accepts. */
    heard: (accepts: (message: Message) => boolean): Promise<Message> =>
      new Promise((resolve) => {
        const hear = (message: Message): void => {
          if (!accepts(message)) return;
          listeners.delete(hear);
          resolve(message);
        };
        listeners.add(hear);
      }),
    /** What every client does first. */
    async open(): Promise<readonly { readonly name: string; readonly [member: string]: unknown }[]> {
      const clientInfo = { name: 'test', version: '1.0.0' };
      await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
      write({ method: 'notifications/initialized', params: {} });
      const { result } = await ask('tools/list', {});
      const tools = result?.tools as { readonly name: string; readonly outputSchema: object }[];
      for (const { name, outputSchema } of tools) schemas.set(name, outputSchema);
      return tools;
    },
    /** Calls a tool. A structured result is held against the schema that the server has told. */
    async call(name: string, args: object = {}, meta?: object, id?: string | number): Promise<ToolResult> {
      const params = { name, arguments: args, ...(meta && { _meta: meta }) };
      const { result, error } = await ask('tools/call', params, id);
      if (error) return { isError: true, text: error.message, value: {} };
      const [content] = (result?.content ?? []) as readonly { readonly text: string }[];
      const text = content?.text ?? '';
      if (result?.isError) return { isError: true, text, value: {} };
      const value = result?.structuredContent as ToolResult['value'];
      if (!ajv.validate(schemas.get(name) ?? false, value))
        throw new Error(`${name}: ${ajv.errorsText()} in ${text}`);
      if (JSON.stringify(value) !== text) throw new Error(`${name}: its text is not its structured result`);
      return { text, value };
    },
    close: () => stdin.end(),
  };
}

function messageIn(line: string): Message | undefined {
  try {
    const message = JSON.parse(line) as Message & { readonly jsonrpc?: string };
    return message.jsonrpc === '2.0' ? message : undefined;
  } catch {
    return undefined;
  }
}
