import type { Clock } from '../../../ports/index.js';
import { datasetError } from '../errors.js';
import type { S3Config } from './config.js';

type Env = { readonly [name: string]: string | undefined };
type S3Object = { readonly bucket: string; readonly key: string };
type SignedRequest = { readonly url: URL; readonly headers: { readonly [name: string]: string } };

const scheme = 's3';

/** A request for one object, signed in its headers, so that no URL is ever a key to it. */
export async function signGet(
  object: S3Object,
  config: S3Config,
  env: Env,
  clock: Clock,
): Promise<SignedRequest> {
  const { region = 'us-east-1' } = config;
  const url = objectUrl(object, config, region);
  const sessionToken = config.sessionTokenEnv === undefined ? undefined : env[config.sessionTokenEnv];
  // Loaded with the first request: most runs make none.
  const { AwsV4Signer } = await import('aws4fetch');
  const signer = new AwsV4Signer({
    url: url.href,
    method: 'GET',
    service: 's3',
    region,
    accessKeyId: credential(env, config.accessKeyEnv),
    secretAccessKey: credential(env, config.secretKeyEnv),
    ...(sessionToken !== undefined && { sessionToken }),
    datetime: new Date(clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  });
  const { headers } = await signer.sign();
  return { url, headers: Object.fromEntries(headers) };
}

function objectUrl({ bucket, key }: S3Object, config: S3Config, region: string): URL {
  const { endpoint, forcePathStyle = endpoint !== undefined || bucket.includes('.') } = config;
  const base = new URL(endpoint ?? `https://s3.${region}.amazonaws.com/`);
  const folder = base.pathname.replace(/\/$/, '');
  const path = key.split('/').map(encodeSegment).join('/');
  if (forcePathStyle) return new URL(`${folder}/${bucket}/${path}`, base);
  return new URL(`${base.protocol}//${bucket}.${base.host}${folder}/${path}`);
}

/** As the service does it for the signature: everything but letters, digits and four marks. */
export const encodeSegment = (segment: string): string =>
  encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function credential(env: Env, name: string): string {
  const value = env[name];
  if (value === undefined || value === '')
    throw datasetError('dataset_denied', `The environment variable ${name} is not set; s3: needs it.`, {
      scheme,
    });
  return value;
}
