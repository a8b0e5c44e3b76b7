/** The MCP client is an optional package: only a host with MCP servers needs it, and only then is it loaded. */
export type McpLibrary = typeof import('@modelcontextprotocol/client');
export type LoadMcp = () => Promise<McpLibrary>;

const PACKAGE = '@modelcontextprotocol/client';

export class LibraryMissing extends Error {
  override readonly name = 'LibraryMissing';
  constructor() {
    super(`MCP servers need a package that is not installed here. Run: npm install ${PACKAGE}`);
  }
}

export const loadMcpLibrary: LoadMcp = async () => {
  try {
    return await import('@modelcontextprotocol/client');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new LibraryMissing();
  }
};
