import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { itemOf, placeIn, readDocument, readRows } from '../documents.js';
import type { ImportDraft, ImportFormat, ImportRequest, SourceDocument, SourceFile } from '../imported.js';
import { hostedDraft } from './hosted.js';
import { registryDraft } from './registry.js';

const isHostedRow = (value: Json | undefined): boolean =>
  isObject(value) &&
  (value.object === 'eval.run.output_item' ||
    (isObject(value.item) && ['run_id', 'grades', 'sample'].some((name) => Object.hasOwn(value, name))));
const isEval = (value: Json | undefined): boolean =>
  isObject(value) && (value.object === 'eval' || Array.isArray(value.testing_criteria));
const isPage = (value: Json | undefined): value is JsonObject & { readonly data: readonly Json[] } =>
  isObject(value) && Array.isArray(value.data) && isHostedRow((value.data as readonly Json[])[0]);
const isRegistry = (value: Json | undefined): boolean =>
  isObject(value) && Object.values(value).some((entry) => isObject(entry) && typeof entry.class === 'string');

/** Rows of the hosted product as its pages and files have them. */
function documentsOf(file: SourceFile): readonly SourceDocument[] {
  return readRows(file).flatMap((document) => {
    const { value } = document;
    if (!isPage(value)) return [document];
    return value.data.map((row, at) => itemOf(document, row, `/data/${at}`));
  });
}

function read(request: ImportRequest): ImportDraft {
  const { files, options } = request;
  const registries = files
    .filter(({ path }) => /\.ya?ml$/i.test(path))
    .map((file) => ({ file, document: readDocument(file) }));
  const rows = files
    .filter(({ path }) => !/\.ya?ml$/i.test(path))
    .flatMap((file) => documentsOf(file).map((document) => ({ file, document })));
  const evaluation = options.evaluation
    ? readDocument(options.evaluation)
    : rows.find(({ document }) => isEval(document.value))?.document;
  const hosted = rows.filter(({ document }) => isHostedRow(document.value));
  if (hosted.length > 0) {
    for (const { document } of rows)
      if (!isHostedRow(document.value) && !isEval(document.value))
        request.items.lost(placeIn(document), 'row that is no item of an eval');
    return hostedDraft(
      hosted.map(({ document }) => document),
      evaluation,
      request,
    );
  }
  return registryDraft(registries, rows, request);
}

/** The open repository's registry with its samples, and the files of the hosted product. */
export const OPENAI_EVALS: ImportFormat = {
  read,
  options: ['class', 'evaluation'],
  fits: ({ form, value }) => {
    if (form === 'rows')
      return (
        isHostedRow(value) ||
        (isObject(value) && Object.hasOwn(value, 'input') && Object.hasOwn(value, 'ideal'))
      );
    return isEval(value) || isPage(value) || isHostedRow(value) || isRegistry(value);
  },
};
