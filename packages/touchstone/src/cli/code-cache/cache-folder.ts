import { isAbsolute, join } from 'node:path';

type Environment = { readonly [name: string]: string | undefined };

/**
 * Where compiled code is kept: the folder that Node is told to use, or else the user's own cache folder. What is in it is
 * executed, so it is never a folder that every user can write to. None when Node is told to keep nothing.
 */
export function codeCacheFolder(env: Environment, platform: NodeJS.Platform): string | undefined {
  if (env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  const folder = env.NODE_COMPILE_CACHE || userCache(env, platform);
  return folder && join(folder, 'touchstone');
}

function userCache({ HOME = '', LOCALAPPDATA = '', XDG_CACHE_HOME }: Environment, platform: NodeJS.Platform) {
  const ofSystem =
    platform === 'win32' ? LOCALAPPDATA : join(HOME, platform === 'darwin' ? 'Library/Caches' : '.cache');
  // A relative one would be in the project that the command works on.
  return [XDG_CACHE_HOME, ofSystem].find((folder) => folder && isAbsolute(folder));
}
