import { STATUS_CODES } from 'node:http'
import { MAX_TOP_UP, MIN_TOP_UP, topUpUsd } from '@/lib/contract/chains'
import { type ErrorCode, STATUS } from '@/lib/contract/errors'
import { MAX_FILE_BYTES, MAX_JSON_BYTES, MIN_EDIT_PIXELS, MIN_IMAGE_SIDE } from '@/lib/contract/limits'
import type { DocumentedCode } from '@/lib/contract/reference'
import { codeOnWire } from '@/lib/endpoints/docs/openapi/errors'

const PROOF = 'Sign in anew: [how a wallet signs](/docs/guides/wallets#sign-in).'
const AGAIN = 'Only what was delivered is charged. Try again.'
const SIGN_ANEW = 'Nothing moved. Mend it and sign anew.'

/** The meaning of each code and what to do about it. In Markdown. */
export const ERROR_WORDS: Record<ErrorCode, string> = {
  INVALID_REQUEST: 'A field is wrong. `issues` says which, and what to change.',
  INVALID_MODEL: 'The model exists and is of another type. `GET /models?type=all` has the type of each.',
  context_length_exceeded:
    'The conversation, with the answer that was asked for, is longer than the context of the model. Send less, ask for fewer tokens, or ask a model with a longer context.',
  CORRUPTED_IMAGE: 'The picture cannot be decoded. Send PNG, JPEG, WebP, AVIF, GIF or HEIC.',
  IMAGE_TOO_SMALL: `The image has too few pixels. The minimum is ${MIN_IMAGE_SIDE} by ${MIN_IMAGE_SIDE} in a chat, ${MIN_EDIT_PIXELS.toLocaleString('en')} in all elsewhere.`,
  INVALID_AUDIO_FORMAT: 'The recording is of no kind that is read. Both its name and its content count.',
  INVALID_VIDEO_FORMAT: 'The film is of no kind that is read. Send MP4, MPEG, MOV or WebM.',
  REQUEST_ID_NOT_FOUND: 'No job of this account has this id, or it is of the other kind.',
  PAYMENT_HEADER_NOT_ACCEPTED: 'No payment is taken on this route. Pay with `POST /x402/top-up`.',
  INVALID_PAYMENT_FORMAT: `The payment cannot be read. ${SIGN_ANEW}`,
  UNSUPPORTED_SCHEME: `Only the scheme \`exact\` is taken. ${SIGN_ANEW}`,
  UNSUPPORTED_NETWORK: `The payment is for a network that the offer does not name. ${SIGN_ANEW}`,
  UNSUPPORTED_TOKEN: `The payment is in another token than the offer's. ${SIGN_ANEW}`,
  INVALID_PAYMENT_RECIPIENT: `The payment goes to somebody else. ${SIGN_ANEW}`,
  INVALID_AMOUNT: `The amount is no whole number of base units. ${SIGN_ANEW}`,
  AMOUNT_TOO_LOW: `Less than ${topUpUsd(MIN_TOP_UP)} USD. ${SIGN_ANEW}`,
  AMOUNT_TOO_HIGH: `More than ${topUpUsd(MAX_TOP_UP)} USD. ${SIGN_ANEW}`,
  INVALID_PAYMENT_PAYER: `The payment does not come from the wallet that signed it. ${SIGN_ANEW}`,
  PAYMENT_VERIFICATION_FAILED: `The signature, the time or the balance of the payer does not hold. ${SIGN_ANEW}`,
  UNSUPPORTED_RPC_NETWORK: 'Slugs are exact: `GET /crypto/rpc/networks` lists them.',
  UNSUPPORTED_RPC_METHOD: 'The method is not offered. The message names a way around, `issues` the item of a batch.',
  IDEMPOTENCY_KEY_REUSED: 'The `Idempotency-Key` was used with another request. Make a new one.',
  AUTHENTICATION_FAILED: 'The key is missing, unknown, expired or revoked.',
  AUTHENTICATION_FAILED_INACTIVE_KEY: 'The account of the key is not active. Contact the operator.',
  ADMIN_KEY_REQUIRED: 'The route takes keys of type ADMIN only.',
  PRO_ONLY_MODEL: 'The model is for Pro accounts. Choose another model, or ask the operator for Pro.',
  X402_INVALID_SIGN_IN: `The wallet's proof is missing or wrong. ${PROOF}`,
  X402_SIGN_IN_PARSE_ERROR: 'The header `SIGN-IN-WITH-X` is not base64 of JSON.',
  X402_SIGN_IN_INVALID_PAYLOAD: 'The proof lacks a field, or one is of another kind.',
  X402_SIGN_IN_INVALID_CHAIN_ID: 'The chain of the proof has no form that is known.',
  X402_SIGN_IN_UNSUPPORTED_CHAIN: 'Proofs are taken for Base and Solana.',
  X402_SIGN_IN_INVALID_MESSAGE: 'The signed text is no sign-in message (EIP-4361, or its Solana form).',
  X402_SIGN_IN_ADDRESS_MISMATCH: 'The text names another address than the proof.',
  X402_SIGN_IN_INVALID_WALLET: 'The address is none of that chain.',
  X402_SIGN_IN_CHAIN_MISMATCH: 'The text names another chain than the proof.',
  X402_SIGN_IN_MISSING_NONCE: 'The text has no nonce.',
  X402_SIGN_IN_DOMAIN_MISMATCH: 'The text is for another service. Its domain is the host of this one, with the port.',
  X402_SIGN_IN_EXPIRED: `A proof is good for five minutes. ${PROOF}`,
  X402_SIGN_IN_FUTURE_TIMESTAMP: 'The proof is from the future: set the clock.',
  X402_SIGN_IN_NOT_BEFORE: 'The text says that it does not hold yet.',
  X402_SIGN_IN_TIMESTAMP_MISMATCH: 'The time beside the text is not that in it.',
  X402_SIGN_IN_INVALID_SIGNATURE: 'The signature is not that of the address over this very text.',
  X402_SIGN_IN_NONCE_REUSED: `A proof that spends works once. ${PROOF}`,
  INSUFFICIENT_BALANCE: 'The account has too little credit for what the request may cost. Add credit.',
  PAYMENT_REQUIRED: 'No credentials, or too little credit of a wallet. The answer says how to pay.',
  SETTLEMENT_FAILED: `The payment was refused before it reached its chain. ${SIGN_ANEW}`,
  API_KEY_USD_SPEND_LIMIT_EXCEEDED: "The key's own limit in dollars is reached. Raise it, or wait for its next period.",
  API_KEY_DIEM_SPEND_LIMIT_EXCEEDED: "The key's own limit of daily credit is reached.",
  UNAUTHORIZED: 'Nobody may do this here.',
  API_ACCESS_DISABLED: 'The operator has closed the account.',
  X402_WALLET_MISMATCH: 'The wallet that signed is not the one in the path.',
  REGION_RESTRICTED: 'The model is not offered where the request comes from.',
  MODEL_PRIVACY_RESTRICTED: "The key's `modelPrivacy` does not allow the model.",
  NOT_FOUND: 'Nothing is at this address. Paths begin with `/api/v1`.',
  MODEL_NOT_FOUND: 'No model has this name. `GET /models?type=all` lists them.',
  CHARACTER_NOT_FOUND: 'No character has this slug.',
  MEDIA_NOT_FOUND: 'What the job made was fetched and deleted, or is older than a day.',
  METHOD_NOT_ALLOWED: 'The path takes other methods: the header `Allow` lists them.',
  REQUEST_TIMEOUT_BODY: 'The body did not arrive in time.',
  PAYMENT_IN_PROGRESS: 'This very payment is being settled. Send it again in a moment.',
  PAYMENT_ALREADY_CREDITED: 'The payment has served its request. Sign in to spend the rest of the credit.',
  needs_consent:
    'The model wants a confirmation for media that may show people. Show the policy of the answer, and send `consents`.',
  IDEMPOTENCY_IN_PROGRESS: 'The first request with this `Idempotency-Key` still runs.',
  DOWNLOAD_EXPIRED: 'The film of this address was deleted, or waited for more than a day.',
  ENDPOINT_RETIRED: 'The route is gone; the message names what came after it.',
  MODEL_RETIRED: 'The model is gone, and none took its place.',
  PAYLOAD_TOO_LARGE: `The body or a file is too large: ${MAX_JSON_BYTES / 1e6} MB of JSON, ${MAX_FILE_BYTES / 1e6} MB a file.`,
  INVALID_CONTENT_TYPE: 'The header `Content-Type` is none that the route takes.',
  ASR_UPSTREAM_VALIDATION_FAILED: 'The recording is empty, silent or damaged.',
  CONTENT_POLICY_VIOLATION: 'The model refuses what was asked.',
  IMAGE_TOO_LARGE: 'The picture has too many pixels.',
  VIDEO_DURATION_TOO_LONG: 'The film is longer than the model takes.',
  RATE_LIMIT_EXCEEDED:
    'Too many requests or tokens a minute, or too many that failed. `Retry-After` says how long to wait.',
  MODEL_OVERLOADED: 'The model has too much to do. Wait for `Retry-After`.',
  X402_CONCURRENCY_LIMIT: 'The wallet has as many requests under way as it may.',
  INFERENCE_FAILED: `The model failed. ${AGAIN}`,
  UPSCALE_FAILED: `The picture could not be enlarged. ${AGAIN}`,
  IMAGE_EDIT_ERROR: `The picture could not be changed. ${AGAIN}`,
  SEARCH_FAILED: `The web could not be searched. ${AGAIN}`,
  SCRAPE_FAILED: 'The page could not be read. Nothing was charged.',
  UNKNOWN_ERROR: 'A fault of the service. Tell its operator the `CF-RAY` of the answer.',
  RPC_NETWORK_NOT_CONFIGURED: 'This service has no node for the network.',
  RPC_UPSTREAM_FAILED: 'No node answered. A read may be sent again at once; of a transaction, look for its hash first.',
  ASR_UPSTREAM_FAILED: `The recording could not be heard. ${AGAIN}`,
  UPSTREAM_FAILED: `What makes sound or pictures failed. ${AGAIN}`,
  MODEL_AT_CAPACITY: 'Every place at the model is taken. Wait for `Retry-After`.',
  MODEL_OFFLINE: 'The model is away just now.',
  SETTLEMENT_PENDING:
    'The payment may have moved. After `Retry-After` send the same payment again; never sign a new one.',
  X402_NOT_CONFIGURED: 'The operator takes no payments.',
  STAKING_NOT_CONFIGURED: 'The operator has set no staking contract.',
  SERVICE_UNAVAILABLE: 'The service is ending or full. Wait for `Retry-After`.',
  REQUEST_TIMEOUT: 'The answer took longer than two minutes. Ask for a stream.',
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
