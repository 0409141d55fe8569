import 'server-only'
import { isUtf8 } from 'node:buffer'
import { getAddress } from 'viem'
import { CHAIN_REFERENCE, EVM_NETWORK, type Family, familyOf, SOLANA_NETWORK } from '@/lib/contract/chains'
import { type SignInFields, signInText } from '@/lib/contract/sign-in-format'
import { refuseSignIn } from '@/lib/services/identity/sign-in/parse-message'

const MAX_HEADER_CHARACTERS = 16 * 1024
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/
const EVM_CHAIN = /^(?:eip155:)?[1-9]\d{0,17}$/
const SOLANA_CHAIN = /^solana:[1-9A-HJ-NP-Za-km-z]{1,44}$/
const CONTROL = /[\p{Cc}\u2028\u2029]/u

export type SignInPayload = {
  family: Family
  address: string
  signature: string
  text: string
  otherText?: string
  hasChain: boolean
  timestampMs?: number
}

type Fields = Record<string, unknown>

/**
 * Parses the header: base64 of a JSON object in either form of the contract; if it holds both, the message form counts.
 * Source: API contract, x402.md 3.1, 3.2 and steps 1 to 4 of 3.4.
 * @throws ApiError X402_SIGN_IN_PARSE_ERROR, _INVALID_PAYLOAD, _INVALID_CHAIN_ID or _UNSUPPORTED_CHAIN.
 */
export function parsePayload(header: string): SignInPayload {
  const fields = decode(header)
  const isMessageForm = present(fields.message)
  const address = text(fields, 'address')
  const signature = text(fields, 'signature')
  const type = optionalText(fields, 'type')
  const chain = chainOf(fields)
  const timestampMs = timestampOf(fields)
  const family = type === 'ed25519' || chain?.startsWith('solana:') ? 'solana' : 'evm'
  // Required fields come before the chain, so that the first fault is told.
  const signed = isMessageForm ? text(fields, 'message') : structured(fields, family, address)
  if (chain !== undefined) assertChain(chain, family)
  return {
    family,
    address,
    signature,
    ...(typeof signed === 'string' ? { text: signed } : rebuilt(signed)),
    hasChain: chain !== undefined,
    timestampMs,
  }
}

function decode(header: string): Fields {
  if (header.length > MAX_HEADER_CHARACTERS) {
    throw refuseSignIn('PARSE_ERROR', `The sign-in header is longer than ${MAX_HEADER_CHARACTERS / 1024} KiB.`)
  }
  if (!BASE64.test(header) || header.replace(/=+$/, '').length % 4 === 1) throw unreadable('base64')
  // Node reads both alphabets, with or without padding.
  const bytes = Buffer.from(header, 'base64')
  if (!isUtf8(bytes)) throw unreadable('UTF-8')
  let parsed: unknown
  try {
    parsed = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw unreadable('JSON')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw unreadable('a JSON object')
  return parsed as Fields
}

function structured(fields: Fields, family: Family, address: string): SignInFields {
  text(fields, 'chainId', true)
  const version = fields.version
  if (present(version) && version !== '1') throw refuseSignIn('INVALID_PAYLOAD', 'version: must be "1".')
  const line = (name: string) => oneLine(name, text(fields, name))
  const optionalLine = (name: string) => {
    const value = optionalText(fields, name)
    return value === undefined ? undefined : oneLine(name, value)
  }
  return {
    family,
    domain: line('domain'),
    address: oneLine('address', address),
    statement: optionalLine('statement'),
    uri: line('uri'),
    chainId: CHAIN_REFERENCE[family],
    nonce: line('nonce'),
    issuedAt: line('issuedAt'),
    expirationTime: optionalLine('expirationTime'),
    notBefore: optionalLine('notBefore'),
    requestId: optionalLine('requestId'),
    resources: resourcesOf(fields),
  }
}

/**
 * Libraries write an EVM address into the text with its checksum, as EIP-4361 wants it, whatever case they send it in;
 * others sign what they send.
 */
function rebuilt(fields: SignInFields): Pick<SignInPayload, 'text' | 'otherText'> {
  const text = signInText(fields)
  if (fields.family !== 'evm' || familyOf(fields.address) !== 'evm') return { text }
  const address = getAddress(fields.address)
  return address === fields.address ? { text } : { text: signInText({ ...fields, address }), otherText: text }
}

function resourcesOf({ resources }: Fields): string[] | undefined {
  if (!present(resources)) return undefined
  if (!Array.isArray(resources) || !resources.every((resource) => typeof resource === 'string')) {
    throw refuseSignIn('INVALID_PAYLOAD', 'resources: must be a list of strings.')
  }
  return resources.map((resource) => oneLine('resources', resource))
}

function chainOf({ chainId }: Fields): string | undefined {
  if (!present(chainId)) return undefined
  if (typeof chainId === 'number' || typeof chainId === 'string') return String(chainId)
  throw refuseSignIn('INVALID_PAYLOAD', 'chainId: must be a number or a string.')
}

function timestampOf({ timestamp }: Fields): number | undefined {
  if (!present(timestamp)) return undefined
  if (typeof timestamp === 'number' && Number.isFinite(timestamp)) return timestamp
  throw refuseSignIn('INVALID_PAYLOAD', 'timestamp: must be a number of milliseconds.')
}

function assertChain(chain: string, family: Family): void {
  if (!EVM_CHAIN.test(chain) && !SOLANA_CHAIN.test(chain)) {
    throw refuseSignIn('INVALID_CHAIN_ID', 'chainId: is not a chain id such as 8453 or eip155:8453.')
  }
  const isOwn = family === 'solana' ? chain === SOLANA_NETWORK : chain.replace('eip155:', '') === CHAIN_REFERENCE.evm
  if (isOwn) return
  throw refuseSignIn('UNSUPPORTED_CHAIN', `chainId: sign in on ${EVM_NETWORK} or ${SOLANA_NETWORK}.`)
}

function text(fields: Fields, name: string, mayBeNumber = false): string {
  const value = fields[name]
  if (typeof value === 'string' && value !== '') {
    if (value.isWellFormed()) return value
  } else if (mayBeNumber && typeof value === 'number') return String(value)
  throw refuseSignIn('INVALID_PAYLOAD', `${name}: ${present(value) ? 'must be text' : 'is missing'}.`)
}

function optionalText(fields: Fields, name: string): string | undefined {
  return present(fields[name]) && fields[name] !== '' ? text(fields, name) : undefined
}

function oneLine(name: string, value: string): string {
  if (!CONTROL.test(value)) return value
  throw refuseSignIn('INVALID_PAYLOAD', `${name}: has a line break or a control character.`)
}

const present = (value: unknown): boolean => value !== undefined && value !== null

const unreadable = (what: string) => refuseSignIn('PARSE_ERROR', `The sign-in header is not ${what}.`)
