import { readArguments, readHeaders, readTenants, readTimeout, readUrl } from '../../spec/members.js';
import { ObjectReader, present } from '../../spec/object-reader.js';

/** Without `exec`: the protocol lets only a host's own tools run commands. */
const TIERS = ['pure', 'read', 'write'] as const;

type ServerSettings = {
  /** Who may use its tools. By default all tenants if the host has only one, and none otherwise. */
  readonly tenants?: readonly string[];
  /** What its tools can do to the world, as far as the operator knows. */
  readonly safetyTier?: (typeof TIERS)[number];
  /** For each call, and for getting it started. */
  readonly timeoutMs?: number;
};
/** A program that is started here and spoken to over its standard input and output. */
export type StdioServerSpec = ServerSettings & {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
};
/** A server that runs elsewhere, spoken to over Streamable HTTP. */
export type HttpServerSpec = ServerSettings & {
  readonly url: string;
  readonly headers?: { readonly [name: string]: string };
};
export type McpServerSpec = StdioServerSpec | HttpServerSpec;

/** No dot: the first one in `mcp:<server>.<tool>` ends the server's name. */
const SERVER_NAME = /^[a-z0-9][a-z0-9_-]*$/;

/** Reads the `mcpServers` of a configuration; every problem is listed under its pointer. */
export const parseMcpServers = (
  value: unknown,
  pointer = '/mcpServers',
): ReadonlyMap<string, McpServerSpec> =>
  ObjectReader.read(value, pointer, (servers) => new Map(servers.entries(readServer)));

function readServer(reader: ObjectReader, name: string): McpServerSpec {
  if (!SERVER_NAME.test(name) || name.length > 64)
    reader.complain('Expected a name of up to 64 of a-z, 0-9, "_" and "-", such as files.');
  const isHttp = reader.has('url');
  if (isHttp === reader.has('command') && !reader.isStandIn) {
    const found = isHttp ? 'both' : 'neither';
    reader.complain(`Expected either a command to start or the url of a running server, but found ${found}.`);
  }
  const shared = present<ServerSettings>({
    tenants: readTenants(reader),
    safetyTier: reader.choice('safetyTier', TIERS),
    timeoutMs: readTimeout(reader),
  });
  const server = isHttp ? readHttp(reader) : readStdio(reader);
  return { ...server, ...shared };
}

const readHttp = (reader: ObjectReader): HttpServerSpec =>
  present<HttpServerSpec>({ url: readUrl(reader, 'url'), headers: readHeaders(reader) });

const readStdio = (reader: ObjectReader): StdioServerSpec =>
  present<StdioServerSpec>({
    command: reader.text('command'),
    args: readArguments(reader),
    env: reader.textMap('env'),
    cwd: reader.text('cwd'),
  });
