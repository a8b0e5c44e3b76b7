import { HostError } from '@touchstone/protocol';
import { readPackPath, shownPath } from '../../suites/index.js';

/** How large a pack may be. Held while reading, so that nothing larger is ever in memory. */
export type PackLimits = {
  /** Of the tar archive, once it is unzipped. */
  readonly maxUnpackedBytes: number;
  readonly maxManifestBytes: number;
  readonly maxEntryBytes: number;
  readonly maxEntries: number;
  readonly maxPathLength: number;
  readonly maxPromptBytes: number;
  readonly maxAgents: number;
  /** Of the prompts and schemas of all agents: a file that several of them name counts, and is kept, once for each. */
  readonly maxResolvedBytes: number;
};

export const PACK_LIMITS: PackLimits = {
  maxUnpackedBytes: 50 * 1024 * 1024,
  maxManifestBytes: 256 * 1024,
  maxEntryBytes: 5 * 1024 * 1024,
  maxEntries: 10_000,
  maxPathLength: 512,
  maxPromptBytes: 256 * 1024,
  maxAgents: 100,
  maxResolvedBytes: 8 * 1024 * 1024,
};

/** The files of a pack by their paths. Folders are not kept: they are in the paths. */
export type PackFiles = ReadonlyMap<string, Buffer>;

export const MANIFEST_PATH = 'pack.json';

type Kind = 'file' | 'folder';

/**
 * Takes the paths of a pack one by one and refuses the first that may not be there, before its bytes are read. The same
 * table serves archives, folders and files in memory, so that what one of them admits none of the others refuses.
 */
export class FileTable {
  readonly #limits: PackLimits;
  readonly #kinds = new Map<string, Kind>();
  #entries = 0;
  #bytes = 0;

  constructor(limits: PackLimits) {
    this.#limits = limits;
  }

  folder(raw: string): void {
    this.#count();
    const path = this.#pathOf(raw);
    if (path !== undefined) this.#claim(path, 'folder');
  }

  /** The path under which the file is kept. */
  file(raw: string, size: number): string {
    this.#count();
    const path = this.#pathOf(raw);
    if (path === undefined)
      throw new HostError('tarball_tar_parse_failed', `A file of the pack has no name: ${shownPath(raw)}.`);
    this.#claim(path, 'file');
    this.#weigh(path, size);
    return path;
  }

  #count(): void {
    this.#entries += 1;
    const { maxEntries } = this.#limits;
    if (this.#entries > maxEntries)
      throw new HostError(
        'tarball_too_large',
        `A pack holds at most ${maxEntries} entries; this one has more.`,
        {
          maxEntries,
        },
      );
  }

  #pathOf(raw: string): string | undefined {
    const { maxPathLength } = this.#limits;
    const read = readPackPath(raw, maxPathLength);
    if (read.kind === 'inside') return read.path;
    if (read.kind === 'root') return undefined;
    if (read.kind === 'escapes')
      throw new HostError(
        'tarball_path_traversal',
        `Paths in a pack are relative to its root, with slashes and without "..": ${shownPath(raw)} is not.`,
      );
    throw new HostError(
      'tarball_tar_parse_failed',
      `Paths in a pack are 1 to ${maxPathLength} printable characters of UTF-8, not nested too deep: ${shownPath(raw)} is not.`,
    );
  }

  // Compared as the most forgiving file system would: two names that are one file on some disk are one here.
  #claim(path: string, kind: Kind): void {
    const folded = path.normalize('NFC').toLowerCase();
    for (let end = folded.indexOf('/'); end !== -1; end = folded.indexOf('/', end + 1))
      this.#note(path, folded.slice(0, end), 'folder');
    this.#note(path, folded, kind);
  }

  #note(path: string, key: string, kind: Kind): void {
    const taken = this.#kinds.get(key);
    if (taken !== undefined && (taken === 'file' || kind === 'file'))
      throw new HostError(
        'tarball_tar_parse_failed',
        `Every path is in a pack once, also without regard to case: ${shownPath(path)} is not.`,
      );
    this.#kinds.set(key, kind);
  }

  #weigh(path: string, size: number): void {
    const { maxManifestBytes, maxEntryBytes, maxUnpackedBytes } = this.#limits;
    if (path === MANIFEST_PATH && size > maxManifestBytes)
      throw new HostError('tarball_manifest_too_large', tooLarge(path, maxManifestBytes));
    if (size > maxEntryBytes) throw new HostError('tarball_entry_too_large', tooLarge(path, maxEntryBytes));
    this.#bytes += size;
    if (this.#bytes > maxUnpackedBytes)
      throw new HostError(
        'tarball_too_large',
        `The files of a pack are at most ${maxUnpackedBytes} bytes together.`,
      );
  }
}

const tooLarge = (path: string, limit: number): string =>
  `${shownPath(path)} is larger than the ${limit} bytes that it may have.`;

/** The same files under their proper paths. */
export function tableOf(files: PackFiles, limits: PackLimits): PackFiles {
  const table = new FileTable(limits);
  return new Map([...files].map(([path, bytes]) => [table.file(path, bytes.length), bytes]));
}

/** Paths in an order that depends on nothing but the paths. */
export const sortedPaths = (files: PackFiles): readonly string[] => [...files.keys()].sort();
