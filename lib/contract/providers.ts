import { msg } from '@/lib/contract/msg'

export const PROVIDER_MODEL_TYPES = ['text', 'embedding', 'image', 'tts', 'asr', 'video'] as const
export type ProviderModelType = (typeof PROVIDER_MODEL_TYPES)[number]

export const MAX_PROVIDERS = 50
export const MAX_PROVIDER_MODELS = 500
/** Of the name by which a server knows a model. */
export const MAX_UPSTREAM_MODEL_CHARS = 500
export const MAX_PROVIDER_ADDRESS_CHARS = 500
export const MAX_PROVIDER_KEY_CHARS = 4_096
export const DEFAULT_MARGIN_PERCENT = 20
export const MAX_MARGIN_PERCENT = 1_000

/** US dollars: per million tokens, or characters of speech, per image, or second of audio or video. The type decides what is needed. */
export type ProviderPrices = {
  input?: number
  output?: number
  cacheInput?: number
  cacheWrite?: number
  image?: number
  second?: number
}

/** The prices that a model of each type needs; a text model may have others besides. */
export const PRICES_OF_TYPE = {
  text: ['input', 'output'],
  embedding: ['input'],
  image: ['image'],
  tts: ['input'],
  asr: ['second'],
  video: ['second'],
} as const satisfies Record<ProviderModelType, readonly (keyof ProviderPrices)[]>
export type NeededPrice = (typeof PRICES_OF_TYPE)[ProviderModelType][number]

export const PROVIDER_CAPABILITIES = [
  'supportsFunctionCalling',
  'supportsResponseSchema',
  'supportsVision',
  'supportsReasoning',
  'supportsReasoningEffort',
  'supportsAudioInput',
  'supportsVideoInput',
  'supportsLogProbs',
] as const
export type ProviderCapability = (typeof PROVIDER_CAPABILITIES)[number]

/** Of the lengths of videos that callers can ask for. */
export const MAX_GENERATED_SECONDS = 30

/** What a video model takes. What is missing cannot be chosen by callers. */
export type ProviderVideo = {
  /** Missing where it takes an image or none. */
  modelType?: 'text-to-video' | 'image-to-video'
  /** Lengths of its videos in whole seconds. A model that has a price needs one. */
  seconds?: number[]
  aspectRatios?: string[]
  resolutions?: string[]
  audio?: 'always' | 'optional'
  /** The provider's names of fields, where they differ. */
  inputNames?: Record<string, string>
}

/** Reads lengths in seconds as they are typed, such as "4, 8". Undefined for what is none. */
export function readVideoSeconds(text: string): number[] | undefined {
  const seconds = text.split(/[\s,;]+/).filter((part) => part !== '')
  const areValid = seconds.every(
    (part) => /^\d{1,2}$/.test(part) && Number(part) >= 1 && Number(part) <= MAX_GENERATED_SECONDS,
  )
  return areValid && seconds.length > 0 ? [...new Set(seconds.map(Number))].sort((a, b) => a - b) : undefined
}

export type OfferedModel = {
  upstreamModel: string
  name?: string
  type: ProviderModelType
  contextTokens?: number
  maxCompletionTokens?: number
  capabilities?: Partial<Record<ProviderCapability, boolean>>
  video?: ProviderVideo
  /** Unix seconds. */
  created?: number
  /** What the provider charges; null where it is free. */
  cost?: ProviderPrices | null
}

/** `prices` are what callers pay; null is free. */
export type PricedModel = OfferedModel & { prices: ProviderPrices | null }

export type ProviderPreset = {
  id: string
  name: string
  address: string
  key: 'required' | 'optional' | 'none'
  keyUrl?: string
  makes: 'text' | 'images' | 'videos'
}

export type ConnectedModel = PricedModel & {
  id: string
  /** `taken`: another model of the server has this id, and is the one that callers get. */
  state: 'live' | 'paused' | 'taken'
  /** Callers who name no model of this type get it. */
  isDefault: boolean
}

export type ConnectedProvider = {
  name: string
  preset: string | null
  address: string
  keyLast4: string | null
  marginPercent: number
  isPaused: boolean
  acceptsTestCredit: boolean
  /** Guests and test wallets are refused its models: it may cost the operator money, and the operator did not allow it. */
  refusesTestCredit: boolean
  createdAt: string
  models: ConnectedModel[]
  /** Its key or its models cannot be read any more; connecting it again repairs it. */
  isBroken?: boolean
}

export type FoundServer = {
  preset: string
  address: string
  models: number
  /** Used without being connected, since the server has no models file. */
  isInUse: boolean
}

export type ProvidersReply = {
  presets: ProviderPreset[]
  providers: ConnectedProvider[]
  isSandbox: boolean
}

/** Says why a server cannot be connected and what to do about it. The page translates what the API and commands say. */
export const PROBE_SENTENCES = {
  'bad-address': msg(
    'This is not an address. Enter one that starts with https:// or http://, without user, query or fragment.',
  ),
  insecure: msg('The key would be sent unencrypted over the internet. Use an address that starts with https://.'),
  unreachable: msg('The server cannot be reached. Check the address, and that the server is running.'),
  timeout: msg('The server did not answer in time. Check that it is running, and try again.'),
  redirect: msg('The server redirects to another address. Enter that address instead.'),
  'not-an-api': msg('No API answers at this address. Enter the base URL of the API; it often ends in /v1.'),
  'key-missing': msg('The server needs a key. Enter one.'),
  'key-refused': msg('The server refused the key. Check that it is complete and has not been revoked.'),
  'no-credit': msg('The account at the provider has no credit left. Add credit there, and try again.'),
  busy: msg('The server is busy, or the key has reached its rate limit. Try again in a minute.'),
  'no-model': msg('The server does not serve this model. Choose another one.'),
  failed: msg('The server answered with an error. Try again later.'),
} as const

export type ProbeFault = keyof typeof PROBE_SENTENCES

/** `message` is an English sentence that says what to do; `detail` what the provider said, or where it led. */
export type ProbeFailure = { fault: ProbeFault; message: string; detail?: string }

/**
 * `omitted`: models of kinds that cannot be connected here. `acceptsTestCredit`: the server costs its
 * operator nothing, as far as can be told, so that guests may use it.
 */
export type ListReply =
  | { address: string; preset: string | null; models: OfferedModel[]; omitted: number; acceptsTestCredit: boolean }
  | ProbeFailure

export type WordReply = { word: string; ms: number } | ProbeFailure

// Prices are whole millionths of a dollar per million tokens.
export const MAX_PRICE_DECIMALS = 6
const SCALE = 10n ** BigInt(MAX_PRICE_DECIMALS)
const DECIMAL = /^(\d{1,9})(?:\.(\d{1,20}))?(?:e(-?\d{1,2}))?$/i

/**
 * Reads a vendor's price as millionths of a dollar, times a power of ten, rounded up: `0.00000015` a token is 150,000 a
 * million tokens. Returns undefined for what is no price, such as -1 for "varies".
 */
export function readPrice(value: unknown, tenTimes: number): bigint | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  const [, whole, fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  if (whole === undefined) return undefined
  const shift = MAX_PRICE_DECIMALS + tenTimes + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  return shift >= 0 ? digits * 10n ** BigInt(shift) : ceilDivide(digits, 10n ** BigInt(-shift))
}

export const dollarsOf = (micros: bigint): number =>
  Number(`${micros / SCALE}.${String(micros % SCALE).padStart(MAX_PRICE_DECIMALS, '0')}`)

/** Adds a margin to costs, rounded up. */
export function withMargin(cost: ProviderPrices | null | undefined, marginPercent: number) {
  if (cost === undefined || cost === null) return cost
  const percent = BigInt(Math.round(marginPercent * 100))
  const priced = Object.entries(cost).map(([name, dollars]) => {
    const micros = readPrice(dollars, 0) ?? 0n
    return [name, dollarsOf(ceilDivide(micros * (10_000n + percent), 10_000n))]
  })
  return Object.fromEntries(priced) as ProviderPrices
}

const ceilDivide = (value: bigint, by: bigint): bigint => (value + by - 1n) / by
