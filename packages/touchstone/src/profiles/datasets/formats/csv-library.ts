import { createRequire } from 'node:module';

type Csv = typeof import('csv-parse');

const require = createRequire(import.meta.url);
let library: Csv | undefined;

/** The CSV library, loaded with the first CSV file: most runs have none, and loading it is not free. */
export function csv(): Csv {
  library ??= require('csv-parse') as Csv;
  return library;
}
