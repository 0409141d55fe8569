/**
 * Averages the vectors of all tokens, at length 1, as sentence models do.
 *
 * @param states one vector after another, `dimensions` numbers each.
 */
export function meanUnitVector(states: Float32Array, dimensions: number): Float32Array {
  const sum = new Float32Array(dimensions)
  for (let offset = 0; offset < states.length; offset += dimensions) {
    for (let index = 0; index < dimensions; index++) sum[index]! += states[offset + index]!
  }
  const length = Math.hypot(...sum)
  // The mean of a model's states is never nothing; a vector of zeros would be no unit vector of anything.
  return length === 0 ? sum : sum.map((value) => value / length)
}
