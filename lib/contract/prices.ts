import { perUnit, usd } from '@/lib/contract/money'

/** Price of a search with results, a page, or a result of a model's own search. Source: API contract, README 13. */
export const WEB_SOURCE_PRICE = usd('0.01')

/** Source: API contract, augment.md. */
export const AUGMENT_CALL_PRICE = usd('0.01')

/** Source: API contract, images.md. */
export const PROMPT_REWRITE_PRICE = usd('0.04')

/** Minimum credit over all currencies to start a paid request. Source: API contract, README 13. */
export const ADMISSION_MINIMUM = usd('0.10')

/** Default of `RPC_CREDIT_USD`. Source: API contract, README 16 #15. */
export const DEFAULT_RPC_CREDIT_PRICE = perUnit(0.0000007)

/** Credits of a batch item with an error, or without a call. Source: API contract, crypto-rpc.md "Pricing". */
export const RPC_ERROR_CREDITS = 5
