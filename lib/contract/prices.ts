import { perUnit, usd } from '@/lib/contract/money'

/** A search that found something, a page that was read, a result of a model's own search. Source: API contract, README 13. */
export const WEB_SOURCE_PRICE = usd('0.01')

/** A call of `/augment/*` that succeeds. Source: API contract, augment.md. */
export const AUGMENT_CALL_PRICE = usd('0.01')

/** A prompt that was rewritten for an image model. Source: API contract, images.md. */
export const PROMPT_REWRITE_PRICE = usd('0.04')

/** Who has less than this, over all currencies, may not begin. Source: API contract, README 13. */
export const ADMISSION_MINIMUM = usd('0.10')

/** A credit of the JSON-RPC proxy, unless the operator sets `RPC_CREDIT_USD`. Source: API contract, README 16 #15. */
export const DEFAULT_RPC_CREDIT_PRICE = perUnit(0.0000007)

/** Credits of an item of a JSON-RPC call that has an error, or answers no call. Source: API contract, crypto-rpc.md "Pricing". */
export const RPC_ERROR_CREDITS = 5
