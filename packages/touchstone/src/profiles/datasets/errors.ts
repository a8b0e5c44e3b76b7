import { HostError, validationError } from '@touchstone/protocol';

/** Why a dataset cannot be used, for programs: the `code` in the details of the error. */
export type DatasetCode =
  | 'invalid_uri'
  | 'credentials_in_uri'
  | 'scheme_unsupported'
  | 'format_unsupported'
  | 'invalid_rows'
  | 'invalid_lock'
  | 'dataset_mismatch'
  | 'dataset_unpinned'
  | 'dataset_not_found'
  | 'dataset_denied'
  | 'dataset_refused'
  | 'dataset_too_large';

/** The author of the definition, or of the dataset, has to change something. Nothing of a URI is ever quoted. */
export const datasetError = (
  code: DatasetCode,
  message: string,
  details: { readonly pointer?: string; readonly scheme?: string } = {},
): HostError => {
  const { pointer = '', ...rest } = details;
  return validationError([{ pointer, message }], { code, ...rest });
};

/** Nothing has to be changed: trying again later may work. */
export const datasetUnavailable = (
  code: 'dataset_unavailable' | 'dataset_timeout',
  message: string,
  scheme: string,
): HostError => new HostError('unavailable', message, { code, scheme });
