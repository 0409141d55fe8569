/** The request's sampling settings in the library's words, and one token at a time. Runs in the child process. */
import { randomInt } from 'node:crypto'
import type { LlamaContextSequence, LlamaGrammarEvaluationState, Token } from 'node-llama-cpp'
import type { Sampling } from '../engine.ts'
import { type DrawOptions, drawToken, randomFrom } from './candidates.ts'
import type { ModelOptions } from './chat-protocol.ts'

/** How far back repetition is looked for; frequency and presence count over the whole answer. */
const REPETITION_WINDOW_TOKENS = 64
const FREQUENCY_WINDOW_TOKENS = 2_048

/** Seeds are 32-bit numbers in the sampler. */
const SEED_RANGE = 2 ** 32

/** With logprobs a token is drawn from this many of the best; the rest is never drawn in practice. Bounds `top` too. */
const CANDIDATES = 256

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
export async function* samplesOf(
  sequence: LlamaContextSequence,
  tokens: Token[],
  sampling: Sampling,
  context: SamplingContext,
): AsyncGenerator<Sample> {
  const settings = settingsOf(sampling, context)
  if (context.logprobs) return yield* samplesWithLogprobs(sequence, tokens, settings, context.logprobs.top)
  const { penalties, recent, ...options } = settings
  const { repetition, frequency, presence } = penalties
  const isPenalised = repetition !== 1 || frequency !== 0 || presence !== 0
  const evaluation = sequence.evaluate(tokens, {
    ...options,
    ...(context.grammar && { grammarEvaluationState: context.grammar }),
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
  })
  for await (const token of evaluation) yield { token }
}

type Settings = Omit<DrawOptions, 'recent'> & { seed: number; recent: () => Token[] }

function settingsOf(sampling: Sampling, { defaults, choice, grammar, generated }: SamplingContext): Settings {
  const { frequencyPenalty: frequency = 0, presencePenalty: presence = 0 } = sampling
  const windowTokens = frequency === 0 && presence === 0 ? REPETITION_WINDOW_TOKENS : FREQUENCY_WINDOW_TOKENS
  // A grammar repeats its quotes and braces by need: the model's own penalty, which no one asked for, stays out.
  const repetition = sampling.repetitionPenalty ?? (grammar ? 1 : defaults.repetitionPenalty)
  return {
    temperature: temperatureOf(sampling, defaults.temperature),
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

/** The library has no temperature that moves with the entropy, so the floor and the ceiling hold for the fixed one. */
function temperatureOf({ temperature, minTemperature, maxTemperature }: Sampling, fallback: number): number {
  return Math.min(Math.max(temperature ?? fallback, minTemperature ?? 0), maxTemperature ?? Number.POSITIVE_INFINITY)
}

/** Taken by greedy sampling without filters, which leaves the logits as the model made them. */
const UNTOUCHED = { temperature: 0, topK: 0, topP: 1, minP: 0 }

/** One evaluation a token: the best candidates with their true probabilities, and our own draw from them. */
async function* samplesWithLogprobs(
  sequence: LlamaContextSequence,
  tokens: Token[],
  settings: Settings,
  top: number,
): AsyncGenerator<Sample> {
  const random = randomFrom(settings.seed)
  const filter = { tokens: [], includeTop: CANDIDATES }
  const generateNext = { logits: { filter }, totalLogitWeight: true, options: UNTOUCHED }
  for (let pending = tokens; ; ) {
    const last = pending.at(-1)!
    const results = await sequence.controlledEvaluate([...pending.slice(0, -1), [last, { generateNext }]])
    const { logits, totalLogitWeight } = results.at(-1)?.next ?? {}
    if (!logits || totalLogitWeight === undefined) throw new Error('the model gave no logits')
    const candidates = [...logits].map(([token, logit]) => ({ token, logit })).sort((a, b) => b.logit - a.logit)
    // The weight is the sum over the whole vocabulary, relative to the best.
    const base = candidates[0]!.logit + Math.log(totalLogitWeight)
    const token = drawToken(candidates, { ...settings, recent: settings.recent() }, random) as Token
    yield {
      token,
      logprob: logits.get(token)! - base,
      top: candidates.slice(0, top).map((one) => [one.token as Token, one.logit - base]),
    }
    pending = [token]
  }
}
