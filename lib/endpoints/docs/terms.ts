import 'server-only'
import type { Access, Terms } from '@/lib/contract/docs'
import { formatUsd, type Usd } from '@/lib/contract/money'
import { AUGMENT_CALL_PRICE, PROMPT_REWRITE_PRICE, RPC_ERROR_CREDITS } from '@/lib/contract/prices'
import { DEFAULT_CREDITS, ZKSYNC_CREDITS } from '@/lib/contract/rpc-networks'
import type { Operation } from '@/lib/endpoints/docs/openapi/operation'
import { config } from '@/lib/kernel/config'
import { priceOf } from '@/lib/services/ledger/meter'
import { type Limits, limits } from '@/lib/services/limits/limits-file'

/** Returns the price and the rate limit of an operation on this server. */
export function termsOf({ id, access }: Pick<Operation, 'id' | 'access'>): Terms {
  return { price: PRICES[id]?.() ?? FREE, limit: (LIMITS[id] ?? BY_ACCESS[access])(limits()) }
}

export const hasPrice = (id: string): boolean => PRICES[id] !== undefined

const dollars = (amount: Usd): string => `${formatUsd(amount, 2)} USD`

const FREE = 'Free.'
const TOKENS =
  "The model's `pricing.input` and `pricing.output`, per million tokens; cached input at `cache_input`. Web search and pages have [their own prices](/docs/guides/media#the-web)."
const PICTURE = "Each delivered image at the model's price: `pricing` of `GET /models`."
const CALL = `${dollars(AUGMENT_CALL_PRICE)} per successful call.`
const JOB =
  'The price returned by `quote`. It is held when the job is queued, charged when the result is ready, and refunded if the job fails.'

const PRICES: Readonly<Record<string, () => string>> = {
  createChatCompletion: () => TOKENS,
  createResponse: () => TOKENS,
  createEmbeddings: () => "The model's `pricing.input`, per million tokens.",
  generateImage: () => `${PICTURE} A rewritten prompt (\`enhance_prompt\`) costs ${dollars(PROMPT_REWRITE_PRICE)}.`,
  createImage: () => PICTURE,
  editImage: () => PICTURE,
  editImages: () => PICTURE,
  upscaleImage: () => "The model's `pricing.upscale` for the resulting scale.",
  removeImageBackground: () => PICTURE,
  createSpeech: () => "The characters of `input` at the model's `pricing.input`, per million.",
  createTranscription: () => "Each started second at the model's `pricing.per_audio_second`.",
  createVoice: () => 'Free: no model of this service clones voices.',
  queueAudio: () => JOB,
  retrieveAudio: () => FREE,
  completeAudio: () => FREE,
  queueVideo: () => JOB,
  retrieveVideo: () => FREE,
  completeVideo: () => FREE,
  createVideoTranscription: () =>
    'Each started second of audio at the `pricing.per_audio_second` of the default model of type `asr`. Captions of a page are free.',
  searchWeb: () => CALL,
  scrapePage: () => CALL,
  parseText: () => CALL,
  callRpc: rpcPrice,
}

const CREDITS_PRICED = 10_000_000

function rpcPrice(): string {
  const million = dollars(priceOf([{ units: CREDITS_PRICED, price: config().rpcCreditPrice }]))
  return `Credits: a standard call costs its network's credits (${DEFAULT_CREDITS}, on zkSync ${ZKSYNC_CREDITS}), an advanced one twice, a large trace four times as much; an error of the node ${RPC_ERROR_CREDITS}. Ten million credits cost ${million}. [How calls are priced](/docs/guides/rpc#prices)`
}

const BY_ACCESS: Record<Access, (limits: Limits) => string> = {
  paid: ({ types }) => ofModel(types.image),
  key: ({ routes }) => shared(routes.default),
  admin: ({ routes }) => shared(routes.default),
  wallet: ({ routes }) => shared(routes.default),
  optional: () => 'No separate limit.',
  none: () => 'No separate limit.',
}

const tokens = ({ tiers }: Limits): string =>
  `By the model's tier: ${Object.entries(tiers)
    .map(([name, { requestsPerMinute, tokensPerMinute }]) =>
      requestsPerMinute === 0 && tokensPerMinute === 0
        ? `${name} none`
        : `${name} ${digits(requestsPerMinute)} requests and ${digits(tokensPerMinute)} tokens per minute`,
    )
    .join('; ')}.`

const LIMITS: Readonly<Record<string, (limits: Limits) => string>> = {
  createChatCompletion: tokens,
  createResponse: tokens,
  createEmbeddings: ({ types }) => ofModel(types.embedding),
  createSpeech: ({ types }) => ofModel(types.audio),
  createTranscription: ({ types }) => ofModel(types.audio),
  createVideoTranscription: ({ types }) => ofModel(types.audio),
  createVoice: ({ types }) => ofModel(types.audio),
  queueAudio: ({ types }) => ofModel(types.queue),
  queueVideo: ({ types }) => ofModel(types.queue),
  retrieveAudio: ({ types }) => ofAccount(types.retrieve),
  retrieveVideo: ({ types }) => ofAccount(types.retrieve),
  completeAudio: ({ types }) => `${ofAccount(types.retrieve)} Shared with \`retrieve\`.`,
  completeVideo: ({ types }) => `${ofAccount(types.retrieve)} Shared with \`retrieve\`.`,
  quoteAudio: ({ routes }) => ofAddress(routes.default),
  quoteVideo: ({ routes }) => ofAddress(routes.default),
  searchWeb: ({ routes }) => ofAccount(routes.augment),
  scrapePage: ({ routes }) => ofAccount(routes.augment),
  parseText: ({ routes }) => shared(routes.default),
  createApiKey: ({ routes }) => ofAccount(routes['api-keys']),
  createWeb3Key: ({ routes }) => ofAddress(routes['api-keys']),
  listUsage: ({ routes }) => ofAccount(routes['billing-usage']),
  topUp: ({ routes }) => ofAddress(routes['top-up']),
  getWalletBalance: ({ routes }) => ofAccount(routes['x402-balance']),
  listWalletTransactions: ({ routes }) => ofAccount(routes['x402-transactions']),
  callRpc: ({ routes, cryptoRpc }) =>
    `${ofAccount(routes['crypto-rpc'])} ${cryptoRpc.concurrencyPerUser === 0 ? '' : `${digits(cryptoRpc.concurrencyPerUser)} at a time. `}${cryptoRpc.creditsPerDay === 0 ? '' : `${digits(cryptoRpc.creditsPerDay)} credits in 24 hours.`}`.trim(),
}

const requests = (count: number, of: string): string =>
  count === 0 ? 'None.' : `${digits(count)} requests per minute ${of}.`
const ofModel = (count: number): string => requests(count, 'per account and model')
const ofAccount = (count: number): string => requests(count, 'per account')
const ofAddress = (count: number): string => requests(count, 'per client address')
const shared = (count: number): string => requests(count, 'per account, shared with other routes without a model')

const digits = (count: number): string => count.toLocaleString('en-US')
