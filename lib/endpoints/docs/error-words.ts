import { STATUS_CODES } from 'node:http'
import { MAX_TOP_UP, MIN_TOP_UP, topUpUsd } from '@/lib/contract/chains'
import { type ErrorCode, STATUS } from '@/lib/contract/errors'
import { MAX_FILE_BYTES, MAX_JSON_BYTES, MIN_EDIT_PIXELS, MIN_IMAGE_SIDE } from '@/lib/contract/limits'
import type { DocumentedCode } from '@/lib/contract/reference'
import { codeOnWire } from '@/lib/endpoints/docs/openapi/errors'

const PROOF = 'Sign a new proof: [how a wallet signs in](/docs/guides/wallets#sign-in).'
const AGAIN = 'Only what was delivered is charged. Try again.'
const SIGN_ANEW = 'No money moved. Fix the payment and sign it again.'

/** The meaning of each code and what to do about it. In Markdown. */
export const ERROR_WORDS: Record<ErrorCode, string> = {
  INVALID_REQUEST: 'A field is invalid. `issues` names it and how to fix it.',
  INVALID_MODEL: 'The model has another type. `GET /models?type=all` lists the type of each model.',
  context_length_exceeded:
    "The conversation and the requested reply exceed the model's context. Send less, request fewer tokens, or use a model with a longer context.",
  CORRUPTED_IMAGE: 'The image cannot be decoded. Send PNG, JPEG, WebP, AVIF, GIF or HEIC.',
  IMAGE_TOO_SMALL: `The image has too few pixels. The minimum is ${MIN_IMAGE_SIDE} by ${MIN_IMAGE_SIDE} in a chat, ${MIN_EDIT_PIXELS.toLocaleString('en')} pixels in total elsewhere.`,
  INVALID_AUDIO_FORMAT: 'The audio format is not supported. Both the file name and the content count.',
  INVALID_VIDEO_FORMAT: 'The video format is not supported. Send MP4, MPEG, MOV or WebM.',
  REQUEST_ID_NOT_FOUND: 'This account has no job with this id, or the job has the other type.',
  PAYMENT_HEADER_NOT_ACCEPTED: 'This route accepts no payments. Pay with `POST /x402/top-up`.',
  INVALID_PAYMENT_FORMAT: `The payment cannot be decoded. ${SIGN_ANEW}`,
  UNSUPPORTED_SCHEME: `Only the scheme \`exact\` is accepted. ${SIGN_ANEW}`,
  UNSUPPORTED_NETWORK: `The payment is for a network that was not offered. ${SIGN_ANEW}`,
  UNSUPPORTED_TOKEN: `The payment uses another token than the offer. ${SIGN_ANEW}`,
  INVALID_PAYMENT_RECIPIENT: `The payment has another receiver. ${SIGN_ANEW}`,
  INVALID_AMOUNT: `The amount is not a whole number of base units. ${SIGN_ANEW}`,
  AMOUNT_TOO_LOW: `Less than ${topUpUsd(MIN_TOP_UP)} USD. ${SIGN_ANEW}`,
  AMOUNT_TOO_HIGH: `More than ${topUpUsd(MAX_TOP_UP)} USD. ${SIGN_ANEW}`,
  INVALID_PAYMENT_PAYER: `The payment does not come from the wallet that signed it. ${SIGN_ANEW}`,
  PAYMENT_VERIFICATION_FAILED: `The signature, the time or the balance of the payer is invalid. ${SIGN_ANEW}`,
  UNSUPPORTED_RPC_NETWORK: 'Slugs are exact: `GET /crypto/rpc/networks` lists them.',
  UNSUPPORTED_RPC_METHOD: 'The method is not offered. The message names an alternative, `issues` the item of a batch.',
  IDEMPOTENCY_KEY_REUSED: 'The `Idempotency-Key` was used with another request. Use a new one.',
  AUTHENTICATION_FAILED: 'The key is missing, unknown, expired or revoked.',
  AUTHENTICATION_FAILED_INACTIVE_KEY: 'The account of the key is not active. Contact the operator.',
  ADMIN_KEY_REQUIRED: 'The route requires a key of type ADMIN.',
  PRO_ONLY_MODEL: 'The model is for Pro accounts. Choose another model, or ask the operator for Pro.',
  X402_INVALID_SIGN_IN: `The wallet's proof is missing or invalid. ${PROOF}`,
  X402_SIGN_IN_PARSE_ERROR: 'The header `SIGN-IN-WITH-X` is not base64 of JSON.',
  X402_SIGN_IN_INVALID_PAYLOAD: 'A field of the proof is missing or has the wrong type.',
  X402_SIGN_IN_INVALID_CHAIN_ID: "The format of the proof's chain is unknown.",
  X402_SIGN_IN_UNSUPPORTED_CHAIN: 'Proofs are accepted for Base and Solana.',
  X402_SIGN_IN_INVALID_MESSAGE: 'The signed text is not a sign-in message (EIP-4361, or its Solana equivalent).',
  X402_SIGN_IN_ADDRESS_MISMATCH: 'The message names another address than the proof.',
  X402_SIGN_IN_INVALID_WALLET: 'The address is not valid on this chain.',
  X402_SIGN_IN_CHAIN_MISMATCH: 'The message names another chain than the proof.',
  X402_SIGN_IN_MISSING_NONCE: 'The message has no nonce.',
  X402_SIGN_IN_DOMAIN_MISMATCH:
    'The message is for another service. Use the host of this service, with the port, as domain.',
  X402_SIGN_IN_EXPIRED: `A proof is valid for five minutes. ${PROOF}`,
  X402_SIGN_IN_FUTURE_TIMESTAMP: "The proof's time is in the future. Set your clock.",
  X402_SIGN_IN_NOT_BEFORE: 'The message is not valid yet.',
  X402_SIGN_IN_TIMESTAMP_MISMATCH: 'The time in the proof differs from the time in the message.',
  X402_SIGN_IN_INVALID_SIGNATURE: 'The signature does not match the address and the message.',
  X402_SIGN_IN_NONCE_REUSED: `A proof for a paid request works once. ${PROOF}`,
  INSUFFICIENT_BALANCE: 'The account has too little credit for the maximum cost of the request. Add credit.',
  PAYMENT_REQUIRED: 'No credentials, or the wallet has too little credit. The reply describes how to pay.',
  SETTLEMENT_FAILED: `The payment was rejected before it reached its chain. ${SIGN_ANEW}`,
  API_KEY_USD_SPEND_LIMIT_EXCEEDED: "The key's spending limit is reached. Raise it, or wait for its next period.",
  API_KEY_DIEM_SPEND_LIMIT_EXCEEDED: "The key's limit of daily credit is reached.",
  UNAUTHORIZED: 'The account may not do this on this server.',
  API_ACCESS_DISABLED: 'The operator has closed the account.',
  X402_WALLET_MISMATCH: 'The wallet that signed is not the one in the path.',
  REGION_RESTRICTED: 'The model is not available in your region.',
  MODEL_PRIVACY_RESTRICTED: "The key's `modelPrivacy` does not allow the model.",
  NOT_FOUND: 'Unknown path. Paths begin with `/api/v1`.',
  MODEL_NOT_FOUND: 'Unknown model. `GET /models?type=all` lists them.',
  CHARACTER_NOT_FOUND: 'Unknown character slug.',
  MEDIA_NOT_FOUND: "The job's result was fetched and deleted, or is older than a day.",
  METHOD_NOT_ALLOWED: 'The path does not support this method. The header `Allow` lists the supported ones.',
  REQUEST_TIMEOUT_BODY: 'The body did not arrive in time.',
  PAYMENT_IN_PROGRESS: 'This payment is being settled. Send it again in a moment.',
  PAYMENT_ALREADY_CREDITED: 'The payment has served its request. Sign in to spend the rest of the credit.',
  needs_consent:
    'The model requires a confirmation for media that may show people. Show the policy in the reply, and send `consents`.',
  IDEMPOTENCY_IN_PROGRESS: 'The first request with this `Idempotency-Key` is still running.',
  DOWNLOAD_EXPIRED: 'The video was deleted, or is older than a day.',
  ENDPOINT_RETIRED: 'The route was removed; the message names its replacement.',
  MODEL_RETIRED: 'The model was removed and has no replacement.',
  PAYLOAD_TOO_LARGE: `The body or a file is too large: ${MAX_JSON_BYTES / 1e6} MB of JSON, ${MAX_FILE_BYTES / 1e6} MB per file.`,
  INVALID_CONTENT_TYPE: 'The route does not accept this `Content-Type`.',
  ASR_UPSTREAM_VALIDATION_FAILED: 'The audio is empty, silent or damaged.',
  CONTENT_POLICY_VIOLATION: 'The model rejected the content of the request.',
  IMAGE_TOO_LARGE: 'The image has too many pixels.',
  VIDEO_DURATION_TOO_LONG: "The video exceeds the model's maximum duration.",
  RATE_LIMIT_EXCEEDED: 'Too many requests or tokens per minute, or too many failed requests. Wait for `Retry-After`.',
  MODEL_OVERLOADED: 'The model is overloaded. Wait for `Retry-After`.',
  X402_CONCURRENCY_LIMIT: 'The wallet has too many requests in flight.',
  INFERENCE_FAILED: `The model failed. ${AGAIN}`,
  UPSCALE_FAILED: `The image could not be upscaled. ${AGAIN}`,
  IMAGE_EDIT_ERROR: `The image could not be edited. ${AGAIN}`,
  SEARCH_FAILED: `The web search failed. ${AGAIN}`,
  SCRAPE_FAILED: 'The page could not be read. Nothing was charged.',
  UNKNOWN_ERROR: 'An internal error. Send the operator the `CF-RAY` of the reply.',
  RPC_NETWORK_NOT_CONFIGURED: 'This service has no node for the network.',
  RPC_UPSTREAM_FAILED: 'No node replied. Retry a read immediately; for a transaction, look up its hash first.',
  ASR_UPSTREAM_FAILED: `The audio could not be transcribed. ${AGAIN}`,
  UPSTREAM_FAILED: `The engine for audio or images failed. ${AGAIN}`,
  MODEL_AT_CAPACITY: 'The model is at capacity. Wait for `Retry-After`.',
  MODEL_OFFLINE: 'The model is currently offline.',
  SETTLEMENT_PENDING:
    'The outcome is not known yet; money may have moved. After `Retry-After` send the same payment again; never sign a new one.',
  X402_NOT_CONFIGURED: 'The operator accepts no payments.',
  STAKING_NOT_CONFIGURED: 'The operator has not configured a staking contract.',
  SERVICE_UNAVAILABLE: 'The service is stopping or out of capacity. Wait for `Retry-After`.',
  REQUEST_TIMEOUT: 'The reply took longer than two minutes. Use streaming.',
}

/** Lists each code once, as it is sent: one may come with two statuses. */
export function documentedCodes(): DocumentedCode[] {
  const codes = new Map<string, DocumentedCode>()
  for (const own of Object.keys(STATUS) as ErrorCode[]) {
    const code = codeOnWire(own)
    const status = { status: STATUS[own], name: STATUS_CODES[STATUS[own]] ?? '' }
    const { statuses, words } = codes.get(code) ?? { statuses: [], words: '' }
    codes.set(code, { code, statuses: [...statuses, status], words: `${words} ${ERROR_WORDS[own]}`.trim() })
  }
  return [...codes.values()]
}
