/** The same path from the sources, from the build and from the joined files: two folders up, then `assets`. */
export const ASSETS = new URL('../../assets', import.meta.url);
