// No import: child processes read this file, and it is part of the page.

// Source: API contract, chat.md 2, images.md and augment.md.
export const MAX_FILE_BYTES = 25_000_000
// Maximum JSON body, and data URL in it: base64 makes four characters of three bytes. Source: API contract, README 8.
export const MAX_JSON_BYTES = 35_000_000
export const MAX_DATA_URL_CHARS = 36_000_000
export const MAX_FILES_PER_REQUEST = 100
// Source: API contract, chat.md 2.
export const MAX_VIDEOS_PER_REQUEST = 3
export const MAX_PER_MESSAGE = { images: 10, audio: 5, video: 3, documents: 5 } as const

export const MIN_IMAGE_SIDE = 64
// Pixels to which longer sides are scaled down.
export const MAX_IMAGE_SIDE = 2_048
export const MAX_IMAGE_PIXELS = 40_000_000
export const MAX_AUDIO_SECONDS = 30 * 60
export const MAX_VIDEO_SECONDS = 10 * 60
export const VIDEO_FRAMES = 8

// Pixels in total. Source, down to `MAX_EDIT_PROMPT_CHARS`: API contract, images.md.
export const MIN_EDIT_PIXELS = 65_536
export const MAX_EDIT_PIXELS = 33_177_600
export const MAX_UPSCALED_PIXELS = 16_777_216
export const MIN_GENERATED_SIDE = 64
export const MAX_GENERATED_SIDE = 1_280
export const MAX_VARIANTS = 4
export const MAX_SEED = 999_999_999
export const MAX_CFG_SCALE = 20
export const MAX_IMAGE_PROMPT_CHARS = 7_500
export const MAX_EDIT_PROMPT_CHARS = 32_768

// Source: API contract, audio.md.
export const MAX_SPEECH_CHARS = 4_096
export const MIN_SPEED = 0.25
export const MAX_SPEED = 4

// Maximum of any model, and the bound of a model without one. Source: API contract, video.md, models.md.
export const MAX_VIDEO_PROMPT_CHARS = 20_000
export const DEFAULT_VIDEO_PROMPT_CHARS = 2_500
export const MAX_SENT_URL_CHARS = 8_192

// Maximum pages read for a question, and results of a model's own search. Source: API contract, README 15.
export const MAX_PAGES_READ = 5
export const MAX_NATIVE_RESULTS = 10
export const MAX_WEB_CHARS = 24_000

// Source: API contract, crypto-rpc.md; README 8.
export const MAX_RPC_BATCH_CALLS = 100
export const MAX_RPC_BYTES = 1024 * 1024

export const MAX_KEY_DESCRIPTION_CHARS = 64
export const MAX_KEY_LIMIT_USD = 9_999_999_999

/** Limits of a server without `RATE_LIMITS_FILE`; 0 means unlimited. Source: API contract, README 8. */
export const DEFAULT_RATE_LIMITS = {
  tiers: {
    XS: { requestsPerMinute: 500, tokensPerMinute: 1_000_000 },
    S: { requestsPerMinute: 75, tokensPerMinute: 750_000 },
    M: { requestsPerMinute: 50, tokensPerMinute: 750_000 },
    L: { requestsPerMinute: 20, tokensPerMinute: 500_000 },
  },
  types: { image: 20, audio: 60, embedding: 500, queue: 40, retrieve: 120 },
  // Requests per minute of routes without a model; `default` applies to routes without a limit of their own.
  routes: {
    'crypto-rpc': 100,
    'top-up': 10,
    'x402-balance': 30,
    'x402-transactions': 20,
    // Per account; keys made with a wallet's signature per address, since there is no account yet.
    'api-keys': 20,
    'billing-usage': 10,
    augment: 20,
    default: 500,
  },
  cryptoRpc: { concurrencyPerUser: 1, creditsPerDay: 10_000_000 },
  // More than `count` failed requests in `windowSeconds` block a caller for `blockSeconds`.
  failedRequests: { count: 20, windowSeconds: 30, blockSeconds: 30 },
  concurrency: { perKey: 50, perWallet: 5, perIp: 100 },
} as const

export type RouteName = keyof typeof DEFAULT_RATE_LIMITS.routes

// USDC base units. Source: API contract, x402.md.
export const MIN_TOP_UP = 5_000_000n
export const MAX_TOP_UP = 10_000_000_000n
export const SUGGESTED_TOP_UP = 10_000_000n
