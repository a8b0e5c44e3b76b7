/** The few functions of the independent library that tests hold ours against. It comes without types. */
declare module 'jstat' {
  const jstat: {
    readonly binomial: {
      pdf(hits: number, count: number, chance: number): number;
      cdf(hits: number, count: number, chance: number): number;
    };
    readonly normal: { cdf(value: number, mean: number, deviation: number): number };
    readonly studentt: { inv(quantile: number, degreesOfFreedom: number): number };
  };
  export default jstat;
}
