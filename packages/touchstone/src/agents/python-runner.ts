/** The same path from the sources, from the build and from the joined files: two folders up, then `assets`. */
export const PYTHON_RUNNER = new URL('../../assets/python/touchstone_runner.py', import.meta.url);
