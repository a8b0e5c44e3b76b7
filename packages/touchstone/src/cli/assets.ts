/** The same path from the sources, from the build and from the joined files: two folders up, then `assets`. */
export const STARTER = new URL('../../assets/adversarial/starter.suite.yaml', import.meta.url);
