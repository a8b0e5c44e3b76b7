import { child, type Issue, validationError } from '@touchstone/protocol';
import { closed, flag, integer, list, mapOf, name, type Schema } from '@touchstone/protocol/schema';

/** What the configuration says about datasets. Folders are absolute by the time it is used. */
export type DatasetConfig = {
  /** Folders below which `file:` may be read, by the operator only. */
  readonly roots: readonly string[];
  /** Beginnings of `s3:` and `gs:` URIs, each with a folder or a web address that stands in for it. */
  readonly prefixes: { readonly [prefix: string]: string };
  /** Access to `s3:` addresses; absent when there is none. */
  readonly s3?: S3Config;
  /** Tenants whose definitions may use `prefixes` and the credentials of `s3`. */
  readonly tenants: readonly string[];
  /** Admits plain http to public addresses, where anyone on the network path can change the data. */
  readonly allowHttp: boolean;
  /** The largest dataset, in bytes. */
  readonly maxBytes: number;
  /** From asking for a dataset to having read it. */
  readonly timeoutMs: number;
};

/** A service that speaks the S3 protocol. */
export type S3Config = {
  /** Of a service that is not the original one. */
  readonly endpoint?: string;
  /** The region of the bucket; the service's default when absent. */
  readonly region?: string;
  /** Names of the environment variables that hold the credentials. */
  readonly accessKeyEnv: string;
  /** The variable that holds the secret key. */
  readonly secretKeyEnv: string;
  /** The variable that holds the token of temporary credentials; absent when they are permanent. */
  readonly sessionTokenEnv?: string;
  /** The bucket in the path and not in the name of the host: the default when there is an `endpoint`. */
  readonly forcePathStyle?: boolean;
};

/** As the author of a configuration writes it. */
export type DatasetConfigInput = Partial<DatasetConfig>;

const names = list(name());
const atLeastOne = integer(undefined, { minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** The member `datasets` of a configuration. */
export const datasetsShape: Schema = closed(
  {},
  {
    roots: names,
    prefixes: mapOf(name()),
    s3: closed(
      { accessKeyEnv: name(), secretKeyEnv: name() },
      { endpoint: name(), region: name(), sessionTokenEnv: name(), forcePathStyle: flag() },
    ),
    tenants: names,
    allowHttp: flag(),
    maxBytes: atLeastOne,
    timeoutMs: atLeastOne,
  },
);

const DEFAULTS: DatasetConfig = {
  roots: [],
  prefixes: {},
  tenants: [],
  allowHttp: false,
  maxBytes: 256 * 1024 * 1024,
  timeoutMs: 300_000,
};

const WEB = /^https?:\/\//i;
export const isWebAddress = (target: string): boolean => WEB.test(target);

/** Fills in what is absent. Throws `validation_error` with everything that is wrong, by its place below `/datasets`. */
export function completeDatasetConfig(
  input: DatasetConfigInput,
  resolvePath: (path: string) => string,
): DatasetConfig {
  const issues = [...prefixIssues(input.prefixes ?? {}), ...endpointIssues(input.s3?.endpoint)];
  if (issues.length > 0) throw validationError(issues);
  const prefixes = Object.entries(input.prefixes ?? {}).map(([prefix, target]) => [
    prefix,
    isWebAddress(target) ? target : resolvePath(target),
  ]);
  return {
    ...DEFAULTS,
    ...input,
    roots: (input.roots ?? []).map(resolvePath),
    prefixes: Object.fromEntries(prefixes),
  };
}

/** Both ends are folders: without the slash, `s3://data` would also stand for `s3://data-of-others/…`. */
function prefixIssues(prefixes: { readonly [prefix: string]: string }): readonly Issue[] {
  return Object.entries(prefixes).flatMap(([prefix, target]) => {
    const pointer = child('/datasets/prefixes', prefix);
    if (!/^(s3|gs):\/\/[^/]+\/(.*\/)?$/.test(prefix))
      return [
        { pointer, message: 'Expected a prefix such as s3://bucket/folder/, with a slash at its end.' },
      ];
    const isPlain = !isWebAddress(target) || isPlainAddress(target);
    return target.endsWith('/') && isPlain
      ? []
      : [
          {
            pointer,
            message:
              'Expected a folder or a web address without query and credentials, with a slash at its end.',
          },
        ];
  });
}

function endpointIssues(endpoint: string | undefined): readonly Issue[] {
  if (endpoint === undefined || (isWebAddress(endpoint) && isPlainAddress(endpoint))) return [];
  const message = 'Expected the web address of an S3 service, without query and credentials.';
  return [{ pointer: '/datasets/s3/endpoint', message }];
}

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return [username, password, search, hash].every((part) => part === '');
}
