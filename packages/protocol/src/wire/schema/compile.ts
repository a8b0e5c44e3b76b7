import { createRequire } from 'node:module';
import type * as Ajv from 'ajv/dist/2020.js';
import { allDifferent, formats } from './keywords.js';

/** Whether a value fits a schema. Why it does not is for `explain` to say. */
export type Validator = (value: unknown) => boolean;

/**
 * One Ajv for all our schemas. Loading it costs more than the rest of this package together, so it is loaded
 * by the first question and not by the import; `require` can do that without making every caller wait on a promise.
 * A schema is handed over and compiled when it is first asked about, and those it refers to with it.
 */
export function createCompiler(documents: ReadonlyMap<string, object>): (address: string) => Validator {
  const precompiled = loadPrecompiled();
  let ajv: ReturnType<typeof createAjv> | undefined;
  const add = (id: string): void => {
    const document = documents.get(id);
    if (!document || ajv?.schemas[id]) return;
    ajv?.addSchema(document, id);
    for (const reference of referencesIn(document)) add(new URL(reference, id).href);
  };
  return (address) => {
    const ready = precompiled[address];
    if (ready) return ready;
    ajv ??= createAjv();
    add(address.split('#')[0] ?? '');
    const verdict = ajv.getSchema(address);
    if (!verdict) throw new Error(`There is no schema ${address}.`);
    return (value) => verdict(value) === true;
  };
}

/**
 * What Ajv has compiled at build time (scripts/precompile.mjs). Without that file, as in a checkout that was never
 * built, everything is compiled when it is first needed; the verdicts are the same.
 */
function loadPrecompiled(): { readonly [address: string]: Validator } {
  try {
    return createRequire(import.meta.url)('./precompiled.cjs') as { readonly [address: string]: Validator };
  } catch {
    return {};
  }
}

/** Addresses of other documents, without the place inside them. */
const referencesIn = (document: object): readonly string[] =>
  [...JSON.stringify(document).matchAll(/"\$ref":"([^"#]+)/g)].map((match) => match[1] ?? '');

/** An Ajv with our formats and our `uniqueItems`, without the meta-schema. */
export function createAjv() {
  const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof Ajv;
  const ajv = new Ajv2020({
    strict: true,
    // A condition may ask for members that are declared one level up.
    strictRequired: false,
    allowUnionTypes: true,
    messages: false,
    // Our schemas are constants; a test holds them against the meta-schema once and for all.
    validateSchema: false,
    meta: false,
    formats,
  });
  // Ajv compares objects pair by pair, and a long list would take it hours.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (unique: boolean, items: readonly unknown[]) => !unique || allDifferent(items),
    errors: false,
  });
  return ajv;
}
