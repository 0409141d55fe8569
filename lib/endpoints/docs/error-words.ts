import { STATUS_CODES } from 'node:http'
import { topUpUsd } from '@/lib/contract/chains'
import type { DocumentedCode } from '@/lib/contract/docs'
import { type ErrorCode, STATUS } from '@/lib/contract/errors'
import {
  MAX_FILE_BYTES,
  MAX_JSON_BYTES,
  MAX_TOP_UP,
  MIN_EDIT_PIXELS,
  MIN_IMAGE_SIDE,
  MIN_TOP_UP,
} from '@/lib/contract/limits'
import { codeOnWire } from '@/lib/endpoints/docs/openapi/errors'

const PROOF = 'Sign a new message: [wallet sign-in](/docs/guides/wallets#sign-in).'
const AGAIN = 'You are charged only for what was delivered. Try again.'
const SIGN_ANEW = 'Nothing was transferred. Correct the payment and sign it again.'

export const ERROR_WORDS: Record<ErrorCode, string> = {
  INVALID_REQUEST: 'A field is invalid. `issues` names the field and the fix.',
  INVALID_MODEL:
    'The model has a different type than the endpoint requires. `GET /models?type=all` lists the type of each model.',
  context_length_exceeded:
    'The messages and the requested answer exceed the context of the model. Shorten the messages, request fewer tokens, or use a model with a larger context.',
  CORRUPTED_IMAGE: 'The image could not be decoded. Send PNG, JPEG, WebP, AVIF, GIF or HEIC.',
  IMAGE_TOO_SMALL: `The image has too few pixels. Send at least ${MIN_IMAGE_SIDE} by ${MIN_IMAGE_SIDE} in a chat, or ${MIN_EDIT_PIXELS.toLocaleString('en')} in total elsewhere.`,
  INVALID_AUDIO_FORMAT:
    'The audio format is not supported. Send a supported file; both its name and its content are checked.',
  INVALID_VIDEO_FORMAT: 'The video format is not supported. Send MP4, MPEG, MOV or WebM.',
  REQUEST_ID_NOT_FOUND: 'The account has no job of this type with this ID. Check `queue_id` and the endpoint.',
  PAYMENT_HEADER_NOT_ACCEPTED: 'The route does not accept payments. Pay with `POST /x402/top-up`.',
  INVALID_PAYMENT_FORMAT: `The payment could not be read. ${SIGN_ANEW}`,
  UNSUPPORTED_SCHEME: `Only the scheme \`exact\` is supported. ${SIGN_ANEW}`,
  UNSUPPORTED_NETWORK: `The network of the payment is not in the offer. ${SIGN_ANEW}`,
  UNSUPPORTED_TOKEN: `The token of the payment is not in the offer. ${SIGN_ANEW}`,
  INVALID_PAYMENT_RECIPIENT: `The recipient of the payment is wrong. ${SIGN_ANEW}`,
  INVALID_AMOUNT: `The amount is not a whole number of base units. ${SIGN_ANEW}`,
  AMOUNT_TOO_LOW: `The amount is below the minimum of ${topUpUsd(MIN_TOP_UP)} USD. ${SIGN_ANEW}`,
  AMOUNT_TOO_HIGH: `The amount is above the maximum of ${topUpUsd(MAX_TOP_UP)} USD. ${SIGN_ANEW}`,
  INVALID_PAYMENT_PAYER: `The payer is not the wallet that signed the payment. ${SIGN_ANEW}`,
  PAYMENT_VERIFICATION_FAILED: `The signature, the validity period or the balance of the payer is invalid. ${SIGN_ANEW}`,
  UNSUPPORTED_RPC_NETWORK: 'The network is unknown. Use a slug from `GET /crypto/rpc/networks`, exactly as listed.',
  UNSUPPORTED_RPC_METHOD:
    'The method is not supported. The message suggests an alternative; `issues` names the item of a batch.',
  IDEMPOTENCY_KEY_REUSED: 'The `Idempotency-Key` was used for a different request. Use a new key.',
  AUTHENTICATION_FAILED: 'The key is missing, unknown, expired or revoked. Send a valid key.',
  AUTHENTICATION_FAILED_INACTIVE_KEY: 'The account of the key is inactive. Contact the operator.',
  ADMIN_KEY_REQUIRED: 'The route requires a key of type ADMIN. Use an admin key.',
  PRO_ONLY_MODEL: 'The model requires a Pro account. Use another model, or ask the operator for Pro.',
  X402_INVALID_SIGN_IN: `The wallet proof is missing or invalid. ${PROOF}`,
  X402_SIGN_IN_PARSE_ERROR: 'The header `SIGN-IN-WITH-X` is not base64-encoded JSON.',
  X402_SIGN_IN_INVALID_PAYLOAD: 'A field of the proof is missing or has the wrong type.',
  X402_SIGN_IN_INVALID_CHAIN_ID: 'The chain ID of the proof has an unknown format.',
  X402_SIGN_IN_UNSUPPORTED_CHAIN: 'The chain is not supported. Sign with a wallet on Base or Solana.',
  X402_SIGN_IN_INVALID_MESSAGE: 'The signed text is not a sign-in message (EIP-4361, or its Solana form).',
  X402_SIGN_IN_ADDRESS_MISMATCH: 'The address in the message differs from the proof.',
  X402_SIGN_IN_INVALID_WALLET: 'The address is not valid on the chain.',
  X402_SIGN_IN_CHAIN_MISMATCH: 'The chain in the message differs from the proof.',
  X402_SIGN_IN_MISSING_NONCE: 'The message has no nonce.',
  X402_SIGN_IN_DOMAIN_MISMATCH:
    'The message is for another service. Use the host of this service, with the port, as its domain.',
  X402_SIGN_IN_EXPIRED: `The proof has expired. It is valid for five minutes. ${PROOF}`,
  X402_SIGN_IN_FUTURE_TIMESTAMP: 'The time of the proof is in the future. Set your clock.',
  X402_SIGN_IN_NOT_BEFORE: 'The message is not valid yet.',
  X402_SIGN_IN_TIMESTAMP_MISMATCH: 'The timestamp differs from the time in the message.',
  X402_SIGN_IN_INVALID_SIGNATURE: 'The signature does not match the address and the message.',
  X402_SIGN_IN_NONCE_REUSED: `The proof was already used. It is valid for one request that spends credit. ${PROOF}`,
  INSUFFICIENT_BALANCE: 'The credit of the account does not cover the maximum cost of the request. Add credit.',
  PAYMENT_REQUIRED:
    'The credentials are missing, or the credit of the wallet is too low. The response contains the payment details.',
  SETTLEMENT_FAILED: `The payment was rejected before it reached the chain. ${SIGN_ANEW}`,
  API_KEY_USD_SPEND_LIMIT_EXCEEDED:
    'The spending limit of the key in US dollars is reached. Raise the limit, or wait for the next period.',
  API_KEY_DIEM_SPEND_LIMIT_EXCEEDED:
    'The spending limit of the key in DIEM is reached. Raise the limit, or wait for the next period.',
  UNAUTHORIZED: 'The account may not do this, or the service does not offer it. The message names the reason.',
  API_ACCESS_DISABLED: 'The operator has closed the account. Contact the operator.',
  X402_WALLET_MISMATCH: 'The wallet that signed differs from the wallet in the path.',
  REGION_RESTRICTED: 'The model is not available in your region.',
  MODEL_PRIVACY_RESTRICTED: 'The `modelPrivacy` of the key does not allow the model. Use another model or key.',
  NOT_FOUND: 'The path does not exist. Paths begin with `/api/v1`.',
  MODEL_NOT_FOUND: 'The model does not exist. `GET /models?type=all` lists the models.',
  CHARACTER_NOT_FOUND: 'No character has this slug. `GET /characters` lists the characters.',
  MEDIA_NOT_FOUND: 'The result was retrieved and deleted, or is older than a day.',
  METHOD_NOT_ALLOWED: 'The path does not support the method. The header `Allow` lists the supported methods.',
  REQUEST_TIMEOUT_BODY: 'The request body did not arrive in time. Send the request again.',
  PAYMENT_IN_PROGRESS: 'The payment is being settled. Send the same payment again in a moment.',
  PAYMENT_ALREADY_CREDITED: 'The payment was already used for its request. Sign in to spend the remaining credit.',
  needs_consent:
    'The model requires consent for media that may show people. Show the policy in the response to the end user, and send `consents`.',
  IDEMPOTENCY_IN_PROGRESS: 'The first request with this `Idempotency-Key` is still running. Wait for `Retry-After`.',
  DOWNLOAD_EXPIRED: 'The video was deleted, or is older than a day.',
  ENDPOINT_RETIRED: 'The route is retired. The message names its replacement.',
  MODEL_RETIRED: 'The model is retired and has no replacement. Use another model.',
  PAYLOAD_TOO_LARGE: `The request body or a file is too large. The maximum is ${MAX_JSON_BYTES / 1e6} MB for JSON and ${MAX_FILE_BYTES / 1e6} MB per file.`,
  INVALID_CONTENT_TYPE: 'The route does not support the `Content-Type` of the request.',
  ASR_UPSTREAM_VALIDATION_FAILED: 'The audio is empty, silent or damaged.',
  CONTENT_POLICY_VIOLATION: 'The model rejected the request because of its content.',
  IMAGE_TOO_LARGE: 'The image has too many pixels. Send a smaller image.',
  VIDEO_DURATION_TOO_LONG: 'The video exceeds the maximum duration of the model. Send a shorter video.',
  RATE_LIMIT_EXCEEDED: 'Too many requests, tokens or failed requests per minute. Wait for `Retry-After`.',
  MODEL_OVERLOADED: 'The model is overloaded. Wait for `Retry-After`.',
  X402_CONCURRENCY_LIMIT: 'The wallet has reached the maximum number of concurrent requests. Wait for one to finish.',
  INFERENCE_FAILED: `The model failed. ${AGAIN}`,
  UPSCALE_FAILED: `The image could not be upscaled. ${AGAIN}`,
  IMAGE_EDIT_ERROR: `The image could not be edited. ${AGAIN}`,
  SEARCH_FAILED: `The web search failed. ${AGAIN}`,
  SCRAPE_FAILED: 'The page could not be read. You were not charged.',
  UNKNOWN_ERROR: 'An internal error occurred. Send the operator the `CF-RAY` header of the response.',
  RPC_NETWORK_NOT_CONFIGURED: 'The network has no node on this service.',
  RPC_UPSTREAM_FAILED: 'No node responded. Retry reads at once; for a transaction, check its hash first.',
  ASR_UPSTREAM_FAILED: `The audio could not be transcribed. ${AGAIN}`,
  UPSTREAM_FAILED: `The audio, image or video backend failed. ${AGAIN}`,
  MODEL_AT_CAPACITY: 'The model is at capacity. Wait for `Retry-After`.',
  MODEL_OFFLINE: 'The model is currently unavailable. Use another model, or try again later.',
  SETTLEMENT_PENDING:
    'The payment may have been settled. Wait for `Retry-After`, then send the same payment again; never sign a new one.',
  X402_NOT_CONFIGURED: 'The operator does not accept payments.',
  STAKING_NOT_CONFIGURED: 'The operator has not configured a staking contract.',
  SERVICE_UNAVAILABLE: 'The service is shutting down or full. Wait for `Retry-After`.',
  REQUEST_TIMEOUT: 'The response took longer than two minutes. Use streaming.',
}

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
