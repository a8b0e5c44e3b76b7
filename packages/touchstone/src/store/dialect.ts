/**
 * Where the engines' SQL differs, which is in types and a few names. Everything else is written once.
 *
 * A second engine has to mind: whole numbers are milliseconds and need 64 bits, text is compared by bytes (paging
 * relies on it), and `insertedKey` numbers rows by itself.
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
};

export const SQLITE: Dialect = {
  insertedKey: 'INTEGER PRIMARY KEY',
  integer: 'INTEGER',
  real: 'REAL',
  text: 'TEXT',
  clustered: ' WITHOUT ROWID',
  placeOf: 'instr',
  without: (column, path) => `json_remove(${column}, '$.${path.join('.')}')`,
};
