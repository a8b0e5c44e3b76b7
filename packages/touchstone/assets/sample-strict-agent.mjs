/** Does what its input says, right or wrong: with it the test seams try what a host must not let pass. */
export default async ({ text = '', attemptTool, forceInvalidResult, confidence }, context) => {
  context.reason('It was asked for.');
  if (typeof confidence === 'number') context.confidence(confidence);
  if (forceInvalidResult) return { unexpected: true };
  return { text: attemptTool === undefined ? text : await attempt(attemptTool, context) };
};

const attempt = (toolId, { tools }) =>
  tools.call(toolId).then(
    () => `${toolId}: called`,
    ({ status }) => `${toolId}: ${status}`,
  );
