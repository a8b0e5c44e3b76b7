/** Draws from the gamma distribution with this shape and scale 1, by the method of Marsaglia and Tsang. */
export function drawGamma(shape: number, random: () => number): number {
  // A score that only one task has: the exponential distribution, which needs one number.
  if (shape === 1) return -Math.log(1 - random());
  // Below 1 the method does not work; a draw of one more, shrunk by a power, has the wanted shape.
  if (shape < 1) return drawGamma(shape + 1, random) * random() ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const normal = drawNormal(random);
    const root = 1 + c * normal;
    if (root <= 0) continue;
    const cube = root * root * root;
    const square = normal * normal;
    const chance = random();
    // Nearly every draw is let through by this, which costs no logarithm.
    if (chance < 1 - 0.0331 * square * square) return d * cube;
    if (Math.log(chance) < square / 2 + d * (1 - cube + Math.log(cube))) return d * cube;
  }
}

/** Marsaglia's polar method. It makes two numbers; keeping the second would cost more than it saves. */
function drawNormal(random: () => number): number {
  for (;;) {
    const x = 2 * random() - 1;
    const y = 2 * random() - 1;
    const square = x * x + y * y;
    if (square > 0 && square < 1) return x * Math.sqrt((-2 * Math.log(square)) / square);
  }
}
