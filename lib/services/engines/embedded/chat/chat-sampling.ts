import { randomInt } from 'node:crypto'
import type { LlamaContextSequence, LlamaGrammarEvaluationState, SequenceEvaluateOptions, Token } from 'node-llama-cpp'
import type { Sampling } from '../../engine.ts'
import type { ModelOptions } from './chat-protocol.ts'

const REPETITION_WINDOW_TOKENS = 64
const FREQUENCY_WINDOW_TOKENS = 2_048

const SEED_RANGE = 2 ** 32
const NODE_SEED_RANGE = 2 ** 31 - 1

export type SamplingContext = {
  defaults: ModelOptions['defaults']
  choice: number
  grammar?: LlamaGrammarEvaluationState
  logprobs?: { top: number }
  generated: readonly Token[]
}

export type Sample = { token: Token; logprob?: number; top?: [Token, number][] }

export function samplesOf(
  sequence: LlamaContextSequence,
  tokens: Token[],
  sampling: Sampling,
  context: SamplingContext,
): AsyncGenerator<Sample> {
  const { grammar, logprobs } = context
  const settings = settingsOf(sampling, { ...context, isConstrained: grammar !== undefined })
  if (!logprobs && !settings.dynamic) return samples(sequence, tokens, settings, grammar)
  return grammar
    ? watchedSamples(sequence, tokens, settings, { grammar, logprobs })
    : drawnSamples(sequence, tokens, settings, logprobs)
}

type Settings = Omit<DrawOptions, 'recent'> & { seed: number; windowTokens: number; recent: () => Token[] }

type SettingsContext = Pick<SamplingContext, 'defaults' | 'choice' | 'generated'> & { isConstrained?: boolean }

/** Returns how a request's tokens are drawn, with the model's defaults where it says nothing. */
export function settingsOf(sampling: Sampling, context: SettingsContext): Settings {
  const { defaults, choice, generated, isConstrained } = context
  const { frequencyPenalty: frequency = 0, presencePenalty: presence = 0 } = sampling
  const windowTokens = frequency === 0 && presence === 0 ? REPETITION_WINDOW_TOKENS : FREQUENCY_WINDOW_TOKENS
  // A grammar repeats its quotes and braces by need: the model's own penalty, which no one asked for, stays out.
  const repetition = sampling.repetitionPenalty ?? (isConstrained ? 1 : defaults.repetitionPenalty)
  return {
    ...temperatureOf(sampling, defaults.temperature),
    // Zero would switch the filter off in the library; the caller means the smallest set.
    topP: Math.max(sampling.topP ?? defaults.topP, 1e-6),
    topK: sampling.topK ?? defaults.topK,
    minP: sampling.minP ?? 0,
    // Always set: without it the library takes the clock's second, and draws anew when that changes.
    seed: sampling.seed === undefined ? randomInt(SEED_RANGE) : (sampling.seed + choice) % SEED_RANGE,
    // Logits are divided by it: zero means off here, as one does.
    penalties: { repetition: repetition || 1, frequency, presence },
    windowTokens,
    recent: () => generated.slice(-windowTokens),
  }
}

function temperatureOf(sampling: Sampling, fallback: number): Pick<DrawOptions, 'temperature' | 'dynamic'> {
  const { temperature = fallback, minTemperature, maxTemperature } = sampling
  if (minTemperature === undefined && maxTemperature === undefined) return { temperature }
  const min = minTemperature ?? Math.min(temperature, maxTemperature!)
  const max = maxTemperature ?? Math.max(temperature, minTemperature!)
  return min < max ? { temperature, dynamic: { min, max } } : { temperature: min }
}

/** Writes settings as llama.node takes them, whose temperature does not move: it stays within its bounds. */
export function nodeSamplingOf(sampling: Sampling, context: Omit<SettingsContext, 'generated'>) {
  const settings = settingsOf(sampling, { ...context, generated: [] })
  const { temperature, dynamic, penalties } = settings
  return {
    temperature: dynamic ? Math.max(Math.min(temperature, dynamic.max), dynamic.min) : temperature,
    top_p: settings.topP,
    top_k: settings.topK,
    min_p: settings.minP,
    penalty_last_n: settings.windowTokens,
    penalty_repeat: penalties.repetition,
    penalty_freq: penalties.frequency,
    penalty_present: penalties.presence,
    // Samplers that the runtime has on where nothing is said.
    xtc_probability: 0,
    dry_multiplier: 0,
    seed: settings.seed % NODE_SEED_RANGE,
  }
}

async function* samples(
  sequence: LlamaContextSequence,
  tokens: Token[],
  settings: Settings,
  grammar: LlamaGrammarEvaluationState | undefined,
): AsyncGenerator<Sample> {
  for await (const token of sequence.evaluate(tokens, libraryOptions(settings, grammar))) yield { token }
}

function libraryOptions(settings: Settings, grammar: LlamaGrammarEvaluationState | undefined): SequenceEvaluateOptions {
  const { temperature, topK, topP, minP, seed, penalties, recent } = settings
  const { repetition, frequency, presence } = penalties
  const isPenalised = repetition !== 1 || frequency !== 0 || presence !== 0
  return {
    temperature,
    topK,
    topP,
    minP,
    seed,
    ...(grammar && { grammarEvaluationState: grammar }),
    ...(isPenalised && {
      repeatPenalty: {
        penalty: repetition,
        frequencyPenalty: frequency,
        presencePenalty: presence,
        maxPunishTokens: FREQUENCY_WINDOW_TOKENS,
        punishTokens: recent,
      },
    }),
    yieldEogToken: true,
  }
}

async function* drawnSamples(
  sequence: LlamaContextSequence,
  tokens: Token[],
  settings: Settings,
  logprobs: { top: number } | undefined,
): AsyncGenerator<Sample> {
  const random = randomFrom(settings.seed)
  for (let pending = tokens; ; ) {
    const recent = settings.recent()
    const found = await candidatesOf(sequence, pending, logitsFor(settings, recent, logprobs?.top ?? 0))
    const token = drawToken(found.candidates, { ...settings, recent }, random) as Token
    yield withLogprob(token, found, logprobs)
    pending = [token]
  }
}

// Evaluates twice a token, for the library gives either probabilities or what the grammar allows: first for the model's
// own probabilities, then for the token.
async function* watchedSamples(
  sequence: LlamaContextSequence,
  tokens: Token[],
  settings: Settings,
  { grammar, logprobs }: { grammar: LlamaGrammarEvaluationState; logprobs: { top: number } | undefined },
): AsyncGenerator<Sample> {
  const random = randomFrom(settings.seed)
  for (let pending = tokens; ; ) {
    const recent = settings.recent()
    // The grammar may force any token: all of them, so that it has its probability.
    const found = await candidatesOf(sequence, pending, logprobs ? true : logitsFor(settings, recent, 0))
    const { dynamic } = settings
    const temperature = dynamic
      ? dynamicTemperature(topCandidates(found.candidates, { ...settings, recent }), dynamic)
      : settings.temperature
    const end = sequence.nextTokenIndex
    await sequence.eraseContextTokenRanges([{ start: end - 1, end }])
    const step = { ...settings, temperature, seed: Math.floor(random() * SEED_RANGE) }
    const evaluation = sequence.evaluate(pending.slice(-1), libraryOptions(step, grammar))
    const { value: token } = await evaluation.next()
    await evaluation.return()
    if (token === undefined) return
    yield withLogprob(token, found, logprobs)
    pending = [token]
  }
}

const UNTOUCHED = { temperature: 0, topK: 0, topP: 1, minP: 0 }

type Found = { logits: Map<Token, number>; candidates: Candidate[]; base: number }
type Wanted = true | { filter: { tokens: Token[]; includeTop: number } }

function logitsFor({ topK }: Settings, recent: Token[], top: number): Wanted {
  if (topK <= 0) return true
  const moved = [...new Set(recent)]
  return { filter: { tokens: moved, includeTop: Math.max(topK + moved.length, top, 1) } }
}

async function candidatesOf(sequence: LlamaContextSequence, tokens: Token[], wanted: Wanted): Promise<Found> {
  const generateNext = { logits: wanted, totalLogitWeight: true, options: UNTOUCHED }
  const results = await sequence.controlledEvaluate([...tokens.slice(0, -1), [tokens.at(-1)!, { generateNext }]])
  const { logits, totalLogitWeight } = results.at(-1)?.next ?? {}
  if (!logits || totalLogitWeight === undefined) throw new Error('the model gave no logits')
  const candidates = [...logits].map(([token, logit]) => ({ token, logit })).sort((a, b) => b.logit - a.logit)
  // The weight is relative to the best.
  return { logits, candidates, base: candidates[0]!.logit + Math.log(totalLogitWeight) }
}

function withLogprob(token: Token, { logits, candidates, base }: Found, logprobs: { top: number } | undefined): Sample {
  if (!logprobs) return { token }
  return {
    token,
    logprob: logits.get(token)! - base,
    top: candidates.slice(0, logprobs.top).map((one) => [one.token as Token, one.logit - base]),
  }
}

type Candidate = { token: number; logit: number }

export type DrawOptions = {
  temperature: number
  dynamic?: { min: number; max: number }
  topK: number
  topP: number
  minP: number
  penalties: { repetition: number; frequency: number; presence: number }
  recent: readonly number[]
}

/**
 * Draws the next token: penalties, top-k, top-p, min-p, temperature, draw, in the order of the library's chain, which
 * has no moving temperature and gives probabilities only after its filters. `random` draws from 0 up to 1, and is not
 * used at temperature 0.
 */
export function drawToken(candidates: Candidate[], options: DrawOptions, random: () => number): number {
  const remaining = topCandidates(candidates, options)
  const [best] = remaining
  if (!best) throw new RangeError('there is nothing to draw from')
  const temperature = options.dynamic ? dynamicTemperature(remaining, options.dynamic) : options.temperature
  return temperature <= 0 ? best.token : draw(remaining, temperature, random())
}

function topCandidates(candidates: Candidate[], options: DrawOptions): Candidate[] {
  const penalised = penalise(candidates, options).sort((a, b) => b.logit - a.logit)
  const top = options.topK > 0 ? penalised.slice(0, options.topK) : penalised
  return withinMinP(withinTopP(top, options.topP), options.minP)
}

/**
 * Moves the temperature by how undecided the model is: the floor where one candidate has all the probability, the
 * ceiling where all have the same, and in between by the entropy. The rule of llama.cpp's dynamic temperature with
 * exponent 1.
 */
export function dynamicTemperature(candidates: Candidate[], { min, max }: { min: number; max: number }): number {
  if (candidates.length < 2) return min
  const entropy = sharesOf(candidates, 1).reduce((sum, share) => (share > 0 ? sum - share * Math.log(share) : sum), 0)
  return min + (max - min) * (entropy / Math.log(candidates.length))
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

function withinTopP(candidates: Candidate[], topP: number): Candidate[] {
  const shares = sharesOf(candidates, 1)
  let sum = 0
  const end = shares.findIndex((share) => {
    sum += share
    return sum >= topP
  })
  return end < 0 ? candidates : candidates.slice(0, end + 1)
}

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

export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
