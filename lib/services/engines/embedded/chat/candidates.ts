/**
 * Sampling from a list of the most probable tokens, for what the library cannot do itself: it gives probabilities only
 * after its own filters, where the field means those of the model, and it has no temperature that moves. Same order of
 * steps as the library's chain: penalties, top-k, top-p, min-p, temperature, draw. Runs in the child process.
 */

/** A token and its logit, the most probable first. */
export type Candidate = { token: number; logit: number }

export type DrawOptions = {
  temperature: number
  /** The temperature moves between these with the entropy, and the fixed one says nothing. */
  dynamic?: { min: number; max: number }
  topK: number
  topP: number
  minP: number
  penalties: { repetition: number; frequency: number; presence: number }
  /** Tokens that penalties are about. */
  recent: readonly number[]
}

/** The next token. `random` draws from 0 up to 1, and is not used at temperature 0. */
export function drawToken(candidates: Candidate[], options: DrawOptions, random: () => number): number {
  const kept = keptOf(candidates, options)
  const [best] = kept
  if (!best) throw new RangeError('there is nothing to draw from')
  const temperature = options.dynamic ? dynamicTemperature(kept, options.dynamic) : options.temperature
  return temperature <= 0 ? best.token : draw(kept, temperature, random())
}

/** Those that penalties and filters leave, the most probable first. */
export function keptOf(candidates: Candidate[], options: DrawOptions): Candidate[] {
  const penalised = penalise(candidates, options).sort((a, b) => b.logit - a.logit)
  const top = options.topK > 0 ? penalised.slice(0, options.topK) : penalised
  return withinMinP(withinTopP(top, options.topP), options.minP)
}

/**
 * A temperature between two by how undecided the model is: the floor where one candidate has all the probability, the
 * ceiling where all have the same, and in between by the entropy over the greatest that so many could have. The rule
 * of llama.cpp's dynamic temperature with exponent 1.
 */
export function dynamicTemperature(kept: Candidate[], { min, max }: { min: number; max: number }): number {
  if (kept.length < 2) return min
  const entropy = sharesOf(kept, 1).reduce((sum, share) => (share > 0 ? sum - share * Math.log(share) : sum), 0)
  return min + (max - min) * (entropy / Math.log(kept.length))
}

function penalise(candidates: Candidate[], { penalties, recent }: DrawOptions): Candidate[] {
  const counts = new Map<number, number>()
  for (const token of recent) counts.set(token, (counts.get(token) ?? 0) + 1)
  return candidates.map(({ token, logit }) => {
    const count = counts.get(token) ?? 0
    if (count === 0) return { token, logit }
    const repeated = logit <= 0 ? logit * penalties.repetition : logit / penalties.repetition
    return { token, logit: repeated - count * penalties.frequency - penalties.presence }
  })
}

/** The fewest of the best whose probabilities reach `topP` together. */
function withinTopP(candidates: Candidate[], topP: number): Candidate[] {
  const shares = sharesOf(candidates, 1)
  let sum = 0
  const end = shares.findIndex((share) => {
    sum += share
    return sum >= topP
  })
  return end < 0 ? candidates : candidates.slice(0, end + 1)
}

/** Those whose probability is at least `minP` times the best one's. */
function withinMinP(candidates: Candidate[], minP: number): Candidate[] {
  const best = candidates[0]?.logit ?? 0
  return candidates.filter(({ logit }) => Math.exp(logit - best) >= minP)
}

function draw(candidates: Candidate[], temperature: number, at: number): number {
  const shares = sharesOf(candidates, temperature)
  let left = at
  for (const [index, share] of shares.entries()) {
    left -= share
    if (left < 0) return candidates[index]!.token
  }
  return candidates.at(-1)!.token
}

function sharesOf(candidates: Candidate[], temperature: number): number[] {
  const best = candidates[0]?.logit ?? 0
  const weights = candidates.map(({ logit }) => Math.exp((logit - best) / temperature))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

/** Repeatable random numbers from 0 up to 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
