export { createMemoryStore, openStore } from './open-store.js';
