/**
 * Where the engines' SQL differs, which is in types and a few names. Everything else is written once.
 *
 * A second engine has to mind: whole numbers are milliseconds and need 64 bits, text is compared by bytes (paging
 * relies on it), and `insertedKey` numbers rows by itself. An engine that runs batches side by side has to hold the locks of
 * their statements; here only one batch at a time writes anything.
 */
export type Dialect = {
  readonly insertedKey: string;
  readonly integer: string;
  readonly real: string;
  readonly text: string;
  /** Put after a table whose rows are small and read by key order, so that the key's tree holds the rows. */
  readonly clustered: string;
  /** Function (text, part) giving the 1-based place of a part, 0 when it is absent. */
  readonly placeOf: string;
  /** Expression for the JSON in a column without the member at a path of names. */
  readonly without: (column: string, path: readonly string[]) => string;
  /** Expression for the SHA-256 of a text's UTF-8 bytes, in lower-case hexadecimal digits. */
  readonly sha256Hex: (text: string) => string;
  /** Statement after which rows are numbered on from the largest number there is; undefined when the engine does so by itself. */
  readonly numberOn: (table: string, key: string) => string | undefined;
  /** Statements after which the engine refuses to change, remove or replace rows of a table with this key. */
  readonly appendOnly: (table: string, key: readonly string[]) => readonly string[];
  /** Statements after which a crash of the engine may lose the rows of a table, where that makes writing to it cheaper. */
  readonly losable: (table: string) => readonly string[];
  /**
   * Statements after which the engine keeps the bytes of these columns in `stored_bytes`, whoever writes, changes or
   * removes rows. `tenantOf` is an expression for the tenant of a row.
   */
  readonly counted: (
    table: string,
    columns: readonly string[],
    tenantOf: (row: string) => string,
  ) => readonly string[];
};

/** SQLite has no digest functions; every connection gets this one. */
export const SHA256_HEX = 'sha256_hex';

export const SQLITE: Dialect = {
  insertedKey: 'INTEGER PRIMARY KEY',
  integer: 'INTEGER',
  real: 'REAL',
  text: 'TEXT',
  clustered: ' WITHOUT ROWID',
  placeOf: 'instr',
  without: (column, path) => `json_remove(${column}, '$.${path.join('.')}')`,
  sha256Hex: (text) => `${SHA256_HEX}(${text})`,
  numberOn: () => undefined,
  losable: () => [],
  appendOnly: (table, key) => {
    const same = key.map((column) => `${column} = NEW.${column}`).join(' AND ');
    const refuse = `BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END`;
    return [
      `CREATE TRIGGER ${table}_unchanged BEFORE UPDATE ON ${table} ${refuse}`,
      `CREATE TRIGGER ${table}_unremoved BEFORE DELETE ON ${table} ${refuse}`,
      // INSERT OR REPLACE removes the row in its way without telling the trigger above.
      `CREATE TRIGGER ${table}_unreplaced BEFORE INSERT ON ${table}
        WHEN EXISTS (SELECT 1 FROM ${table} WHERE ${same}) ${refuse}`,
    ];
  },
  counted: (table, columns, tenantOf) => {
    const bytes = (row: string) =>
      `(${columns.map((column) => `COALESCE(OCTET_LENGTH(${row}.${column}), 0)`).join(' + ')})`;
    const change = (row: string, by: string) =>
      `BEGIN UPDATE stored_bytes SET bytes = bytes ${by} WHERE tenant = ${tenantOf(row)}; END`;
    return [
      `CREATE TRIGGER ${table}_counted AFTER INSERT ON ${table} BEGIN
        INSERT INTO stored_bytes (tenant, bytes) SELECT ${tenantOf('NEW')}, ${bytes('NEW')} WHERE true
        ON CONFLICT (tenant) DO UPDATE SET bytes = stored_bytes.bytes + excluded.bytes; END`,
      `CREATE TRIGGER ${table}_recounted AFTER UPDATE OF ${columns.join(', ')} ON ${table}
        ${change('NEW', `+ ${bytes('NEW')} - ${bytes('OLD')}`)}`,
      `CREATE TRIGGER ${table}_uncounted AFTER DELETE ON ${table} ${change('OLD', `- ${bytes('OLD')}`)}`,
    ];
  },
};
