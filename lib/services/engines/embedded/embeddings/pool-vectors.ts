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
  return unitVector(sum)
}

/** Scales a vector to length 1. Zeros, which no model makes of a text, stay as they are. */
export function unitVector(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}
