/** The request's sampling settings in the library's words, and one token at a time. Runs in the child process. */
import { randomInt } from 'node:crypto'
import type { LlamaContextSequence, LlamaGrammarEvaluationState, SequenceEvaluateOptions, Token } from 'node-llama-cpp'
import type { Sampling } from '../../engine.ts'
import { type Candidate, type DrawOptions, drawToken, dynamicTemperature, keptOf, randomFrom } from './candidates.ts'
import type { ModelOptions } from './chat-protocol.ts'

/** How far back repetition is looked for; frequency and presence count over the whole answer. */
const REPETITION_WINDOW_TOKENS = 64
const FREQUENCY_WINDOW_TOKENS = 2_048

/** Seeds are 32-bit numbers in the sampler. */
const SEED_RANGE = 2 ** 32

export type SamplingContext = {
  defaults: ModelOptions['defaults']
  /** Which of the choices this is: each draws from a seed of its own. */
  choice: number
  grammar?: LlamaGrammarEvaluationState
  logprobs?: { top: number }
  /** What was generated so far; grows while it is sampled. */
  generated: readonly Token[]
}

export type Sample = { token: Token; logprob?: number; top?: [Token, number][] }

/** Evaluates `tokens` and samples on and on, until the reader stops or the model ends. The end's token comes too. */
export function samplesOf(
  sequence: LlamaContextSequence,
  tokens: Token[],
  sampling: Sampling,
  context: SamplingContext,
): AsyncGenerator<Sample> {
  const settings = settingsOf(sampling, context)
  const { grammar, logprobs } = context
  if (!logprobs && !settings.dynamic) return samples(sequence, tokens, settings, grammar)
  return grammar
    ? watchedSamples(sequence, tokens, settings, { grammar, logprobs })
    : drawnSamples(sequence, tokens, settings, logprobs)
}

type Settings = Omit<DrawOptions, 'recent'> & { seed: number; recent: () => Token[] }

function settingsOf(sampling: Sampling, { defaults, choice, grammar, generated }: SamplingContext): Settings {
  const { frequencyPenalty: frequency = 0, presencePenalty: presence = 0 } = sampling
  const windowTokens = frequency === 0 && presence === 0 ? REPETITION_WINDOW_TOKENS : FREQUENCY_WINDOW_TOKENS
  // A grammar repeats its quotes and braces by need: the model's own penalty, which no one asked for, stays out.
  const repetition = sampling.repetitionPenalty ?? (grammar ? 1 : defaults.repetitionPenalty)
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
    recent: () => generated.slice(-windowTokens),
  }
}

/**
 * One of the two bounds alone moves the temperature between itself and the fixed one; where that lies beyond the bound,
 * or both bounds are one number, it is fixed at the bound.
 */
function temperatureOf(sampling: Sampling, fallback: number): Pick<DrawOptions, 'temperature' | 'dynamic'> {
  const { temperature = fallback, minTemperature, maxTemperature } = sampling
  if (minTemperature === undefined && maxTemperature === undefined) return { temperature }
  const min = minTemperature ?? Math.min(temperature, maxTemperature!)
  const max = maxTemperature ?? Math.max(temperature, minTemperature!)
  return min < max ? { temperature, dynamic: { min, max } } : { temperature: min }
}

/** The library's own sampling, which is the fastest. */
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

/** One evaluation a token: its candidates with their true probabilities, and our own draw from them. */
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

/**
 * Two evaluations a token, for the library says either what is probable or what the grammar lets through: the first for
 * the probabilities, which are the model's own, the second for the token.
 */
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
      ? dynamicTemperature(keptOf(found.candidates, { ...settings, recent }), dynamic)
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

/** Taken by greedy sampling without filters, which leaves the logits as the model made them. */
const UNTOUCHED = { temperature: 0, topK: 0, topP: 1, minP: 0 }

type Found = { logits: Map<Token, number>; candidates: Candidate[]; base: number }
type Wanted = true | { filter: { tokens: Token[]; includeTop: number } }

/**
 * Enough candidates that the draw is exact: penalties move each of the recent tokens, so that with those and as many
 * more than top-k none can be missing. Without a top-k all of them.
 */
function logitsFor({ topK }: Settings, recent: Token[], top: number): Wanted {
  if (topK <= 0) return true
  const moved = [...new Set(recent)]
  return { filter: { tokens: moved, includeTop: Math.max(topK + moved.length, top, 1) } }
}

/** Evaluates the tokens: what may come next, with the logarithm of the sum over the whole vocabulary. */
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
