import { toDecimalPoint } from '@/lib/browser/format/numbers'
import {
  DOCUMENT_BYTES_PER_TOKEN,
  IMAGE_TOKENS,
  MESSAGE_TOKENS,
  SERVICE_PROMPT_TOKENS,
  upperTokens,
} from '@/lib/contract/estimates'
import { nano, perMillion, type Usd, usd } from '@/lib/contract/money'

export type TokenPrice = { input: number; output: number }

export const MIN_OUTPUT_TOKENS = 64
const CAP_DECIMALS = 4
const MAX_CAP_DOLLARS = 10_000

/** A character's prompt by its bytes, on the high side of every script. */
const BYTES_PER_TOKEN = 2

const PICO_PER_NANO = 1_000n

/** Parses a cap as stored: dollars, `''` for none. Nothing for what is no amount. */
export function parseCap(text: string): Usd | undefined {
  const bare = toDecimalPoint(text.trim().replace(/^\$\s*/, ''))
  if (!/^(\d{1,5}(\.\d*)?|\.\d+)$/.test(bare)) return undefined
  const [whole = '', fraction = ''] = bare.split('.')
  if (fraction.replace(/0+$/, '').length > CAP_DECIMALS) return undefined
  const cap = usd(`${whole || '0'}.${fraction.slice(0, CAP_DECIMALS) || '0'}`)
  return cap > 0n && cap <= BigInt(MAX_CAP_DOLLARS) * 1_000_000_000n ? cap : undefined
}

type Prompted = { content: string; attachments?: { tokens?: number; size: number; kind: string }[] }

/** Bounds a prompt's tokens by its characters: a guess on the high side. */
export function promptTokens(messages: Prompted[]): number {
  let tokens = SERVICE_PROMPT_TOKENS
  for (const { content, attachments = [] } of messages) {
    for (const { tokens: guessed, size, kind } of attachments) tokens += guessed ?? tokensOfFile(kind, size)
    tokens += upperTokens(content) + MESSAGE_TOKENS.upper
  }
  return tokens
}

export const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN)

function tokensOfFile(kind: string, size: number): number {
  return kind === 'document' ? Math.ceil(size / DOCUMENT_BYTES_PER_TOKEN.upper) : IMAGE_TOKENS.upper
}

export function worstCase(input: number, output: number, price: TokenPrice): Usd {
  const pico = BigInt(input) * perMillion(price.input) + BigInt(output) * perMillion(price.output)
  return nano((pico + PICO_PER_NANO - 1n) / PICO_PER_NANO)
}

export type Fit =
  | { kind: 'free' }
  | { kind: 'bounded'; maxOutputTokens: number; atMost: Usd }
  | { kind: 'too-much'; minimum: Usd }

/** Bounds the answer so that prompt and answer together stay within a cap. */
export function fitToCap(cap: Usd | undefined, input: number, price: TokenPrice | undefined): Fit {
  if (cap === undefined || !price || worstCase(input, MIN_OUTPUT_TOKENS, price) === 0n) return { kind: 'free' }
  const min = worstCase(input, MIN_OUTPUT_TOKENS, price)
  if (min > cap) return { kind: 'too-much', minimum: min }
  const perToken = perMillion(price.output)
  if (perToken === 0n) return { kind: 'free' }
  const left = cap * PICO_PER_NANO - BigInt(input) * perMillion(price.input)
  const maxOutputTokens = Number(left / perToken)
  return { kind: 'bounded', maxOutputTokens, atMost: worstCase(input, maxOutputTokens, price) }
}

/** Bounds the answer as `fitToCap` does where web sources or reading models cost something besides the tokens. */
export function fitWithOtherCosts(
  cap: Usd | undefined,
  otherCosts: Usd,
  input: number,
  price: TokenPrice | undefined,
): Fit {
  if (cap === undefined || otherCosts === 0n) return fitToCap(cap, input, price)
  const whole = (part: Usd) => nano(part + otherCosts)
  if (otherCosts > cap)
    return { kind: 'too-much', minimum: whole(price ? worstCase(input, MIN_OUTPUT_TOKENS, price) : nano(0n)) }
  const fit = fitToCap(nano(cap - otherCosts), input, price)
  if (fit.kind === 'bounded') return { ...fit, atMost: whole(fit.atMost) }
  return fit.kind === 'too-much' ? { ...fit, minimum: whole(fit.minimum) } : fit
}

export function isDaySpent(spent: Usd, cap: Usd | undefined): boolean {
  return cap !== undefined && spent >= cap
}
