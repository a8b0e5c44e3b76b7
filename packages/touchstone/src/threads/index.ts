// The threads of `module` agents. A module of its own, because the command line starts one before it loads anything else.
export { MODULE_WORKER, type ModuleWorker, prepareModuleThread, takeModuleThread } from './module-thread.js';
