// Paths are written once, as OpenAPI templates (`/v1/runs/{runId}:pause`). The router's own notation and the matcher
// behind 405 are derived from them.

// A run id never holds a colon, so that `…/{runId}:pause` and `…/{runId}` cannot be mistaken for each other.
const PARAMETER: { readonly [name: string]: string } = { runId: '[^:/]+' };
const ANY = '[^/]+';

const PLACE = /\{(\w+)\}/g;

/** The template in Fastify's notation, where a literal colon is doubled. */
export function routerPath(template: string): string {
  return template.replaceAll(':', '::').replace(PLACE, (_, name: string) => {
    const pattern = PARAMETER[name];
    return pattern === undefined ? `:${name}` : `:${name}(${pattern})`;
  });
}

export const parameterNames = (template: string): readonly string[] =>
  [...template.matchAll(PLACE)].map((match) => match[1] as string);

/** Matches a concrete path against the template, as the router would. Its groups are the values of the places. */
export function templatePattern(template: string): RegExp {
  const source = template
    .split(PLACE)
    .map((part, index) => (index % 2 === 0 ? escapeRegExp(part) : `(${PARAMETER[part] ?? ANY})`))
    .join('');
  return new RegExp(`^${source}$`);
}

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The path of a request target, without its query. */
export const pathOf = (url: string): string => url.split('?', 1)[0] as string;

/** Whether a path lives under a root this protocol owns. Everything else is answered with 400 (unversioned root). */
export const isVersioned = (path: string): boolean =>
  path === '/v1' || path.startsWith('/v1/') || path.startsWith('/v1:') || path.startsWith('/.well-known/');
