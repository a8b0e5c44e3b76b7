export { selectScorer } from './select.js';
