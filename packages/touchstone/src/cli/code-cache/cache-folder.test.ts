import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codeCacheFolder } from './cache-folder.js';

it.each([
  ['the home folder', { HOME: '/home/ann' }, 'linux', '/home/ann/.cache'],
  ['XDG_CACHE_HOME', { HOME: '/home/ann', XDG_CACHE_HOME: '/caches' }, 'linux', '/caches'],
  [
    'the home folder for a relative one',
    { HOME: '/home/ann', XDG_CACHE_HOME: 'here' },
    'linux',
    '/home/ann/.cache',
  ],
  ['the home folder of a Mac', { HOME: '/Users/ann' }, 'darwin', '/Users/ann/Library/Caches'],
  ['LOCALAPPDATA', { LOCALAPPDATA: '/local' }, 'win32', '/local'],
  ['NODE_COMPILE_CACHE', { HOME: '/home/ann', NODE_COMPILE_CACHE: '/node' }, 'linux', '/node'],
] as const)('compiled code is kept in a folder of its own in %s', (_, env, platform, folder) => {
  expect(codeCacheFolder(env, platform)).toBe(join(folder, 'touchstone'));
});

it.each([
  ['Node is told to keep nothing', { HOME: '/home/ann', NODE_DISABLE_COMPILE_CACHE: '1' }],
  ['nobody has a home', {}],
])('no compiled code is kept where %s', (_, env) => {
  expect(codeCacheFolder(env, 'linux')).toBeUndefined();
});
