import type { Issue } from '@touchstone/protocol';
import {
  type AnyObject,
  anyObject,
  choice,
  closed,
  mapOf,
  ruled,
  schemaIssues,
  text,
  type Wire,
} from '@touchstone/protocol/schema';
import { passEnv } from '../../environment/hand-over.js';
import {
  commandArguments,
  filled,
  headers,
  readAs,
  tenants,
  textMap,
  timeoutMs,
  webUrl,
} from '../../spec/members.js';

const settings = {
  /** Who may use its tools. By default all tenants if the host has only one, and none otherwise. */
  tenants,
  /** What its tools can do to the world, as far as the operator knows. No `exec`: only a host's own tools run commands. */
  safetyTier: choice(['pure', 'read', 'write']),
  /** For each call, and for getting it started. */
  timeoutMs,
};
const stdioShape = closed(
  { command: filled() },
  { args: commandArguments, env: textMap, passEnv, cwd: filled(), ...settings },
);
const httpShape = closed({ url: webUrl }, { headers, ...settings });

/** A program that is started here and spoken to over its standard input and output. */
export type StdioServerSpec = Wire<typeof stdioShape>;
/** A server that runs elsewhere, spoken to over Streamable HTTP. */
export type HttpServerSpec = Wire<typeof httpShape>;
export type McpServerSpec = StdioServerSpec | HttpServerSpec;

function serverIssues(server: AnyObject): readonly Issue[] {
  const isHttp = server.url !== undefined;
  if (isHttp !== (server.command !== undefined)) return schemaIssues(isHttp ? httpShape : stdioShape, server);
  const message = `expected either a command to start or the url of a running server; got ${isHttp ? 'both' : 'neither'}`;
  return [{ pointer: '', message }];
}

/** No dot: the first one in `mcp:<server>.<tool>` ends the server's name. */
const serverName = text(undefined, {
  pattern: '^[a-z0-9][a-z0-9_\\-]{0,63}$',
  title: 'a name of up to 64 of a-z, 0-9, "_" and "-", such as files',
});
const serversShape = mapOf(ruled(anyObject(), serverIssues), serverName);

/** Reads the `mcpServers` of a configuration; every problem is listed under its pointer. */
export const parseMcpServers = (
  value: unknown,
  pointer = '/mcpServers',
): ReadonlyMap<string, McpServerSpec> =>
  new Map(
    Object.entries(
      readAs(serversShape, value, { pointer, variables: true }) as { readonly [name: string]: McpServerSpec },
    ),
  );
