import type { FastifyReply, FastifyRequest } from 'fastify';
import { isVersioned, pathOf } from '../../api/index.js';
import type { PageFile, PageFiles } from './page-files.js';

/** Nothing but what the page brings along, and nothing that text could become. */
const HTML_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), clipboard-read=()',
};

type PageAnswer = { readonly file: PageFile; readonly headers: { readonly [name: string]: string } };

/** What of the page a request asks for: a file, or the shell for any other address that a person opens. */
export function findPage(
  files: PageFiles,
  { method, url, headers }: Pick<FastifyRequest, 'method' | 'url' | 'headers'>,
): PageAnswer | undefined {
  const path = pathOf(url);
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const asset = files.assets.get(path);
  if (asset) return { file: asset, headers: { 'cache-control': 'public, max-age=31536000, immutable' } };
  const isOurs = isVersioned(path) || path.startsWith('/.well-known/') || path.startsWith('/assets/');
  if (isOurs || !isWanted(path, headers.accept)) return undefined;
  return { file: files.shell, headers: { 'cache-control': 'no-cache', ...HTML_HEADERS } };
}

/** The first page is at `/` for whoever takes it; elsewhere a person has to ask, so that a program is told that its path is wrong. */
const isWanted = (path: string, accept = ''): boolean =>
  accept.includes('text/html') || (path === '/' && accept.includes('*/*'));

export function sendPage(request: FastifyRequest, reply: FastifyReply, answer: PageAnswer): FastifyReply {
  const { file, headers } = answer;
  const { name, bytes } = formFor(file, String(request.headers['accept-encoding'] ?? ''));
  reply.headers({
    ...headers,
    'content-type': file.type,
    'cross-origin-resource-policy': 'same-origin',
    vary: 'Accept-Encoding',
    etag: file.etag,
    ...(name !== 'identity' && { 'content-encoding': name }),
  });
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  return reply.code(200).send(bytes);
}

/** The smallest form that the browser takes. */
function formFor({ forms }: PageFile, accepted: string): { readonly name: string; readonly bytes: Buffer } {
  for (const name of ['br', 'gzip'] as const) {
    const bytes = forms[name];
    if (bytes && new RegExp(`\\b${name}\\b`).test(accepted)) return { name, bytes };
  }
  return { name: 'identity', bytes: forms.identity };
}
