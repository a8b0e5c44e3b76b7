/** Echoes what it is asked: the agent that the test seams evaluate when they are given none. */
export default (input) => (typeof input?.text === 'string' ? input.text : input);
