import 'server-only'
import type { Family } from '@/lib/contract/chains'
import { ApiError, type ErrorCode } from '@/lib/contract/errors'

export type SignInMessage = {
  domain: string
  address: string
  chainId?: string
  nonce?: string
  issuedAtMs: number
  expirationTimeMs?: number
  notBeforeMs?: number
}

const HEADER = {
  evm: ' wants you to sign in with your Ethereum account:',
  solana: ' wants you to sign in with your Solana account:',
} as const satisfies Record<Family, string>

const CONTROL = /[^\P{Cc}\n]|[\u2028\u2029]/u
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/

/**
 * Parses a signed text strictly: every line of the format in its place and once. Without a statement one or two empty
 * lines stand before `URI:`, since wallets disagree. Source: API contract, x402.md 3.3.
 * @throws ApiError X402_SIGN_IN_INVALID_MESSAGE.
 */
export function parseMessage(text: string, family: Family): SignInMessage {
  if (CONTROL.test(text) || !text.isWellFormed()) throw invalid('It has a control character.')
  const lines = text.split('\n')
  const header = lines[0] ?? ''
  if (!header.endsWith(HEADER[family])) throw invalid(`Its first line must end with “${HEADER[family].trim()}”.`)
  const domain = header.slice(0, -HEADER[family].length)
  const address = lines[1] ?? ''
  if (lines[2] !== '') throw invalid('An empty line must follow the address.')
  const reader = createReader(lines, afterStatement(lines))

  reader.need('URI', (uri) => URL.canParse(uri))
  reader.need('Version', (version) => version === '1')
  const message = {
    domain,
    address,
    chainId: reader.take('Chain ID'),
    nonce: reader.take('Nonce'),
    issuedAtMs: timeOf('Issued At', reader.need('Issued At')),
    expirationTimeMs: optionalTime('Expiration Time', reader.take('Expiration Time')),
    notBeforeMs: optionalTime('Not Before', reader.take('Not Before')),
  }
  reader.take('Request ID')
  reader.takeResources()
  return message
}

function afterStatement(lines: string[]): number {
  if (lines[3]?.startsWith('URI: ')) return 3
  if (lines[3] === '') return 4
  if (lines[4] !== '') throw invalid('The statement is one line, with an empty line after it.')
  return 5
}

function createReader(lines: string[], start: number) {
  let at = start

  function take(name: string): string | undefined {
    const line = lines[at]
    if (!line?.startsWith(`${name}: `)) return undefined
    at++
    return line.slice(name.length + 2)
  }

  return {
    take,
    need(name: string, isValid: (value: string) => boolean = () => true): string {
      const value = take(name)
      if (value === undefined) throw invalid(`The line “${name}:” is missing or out of place.`)
      if (!isValid(value)) throw invalid(`The line “${name}:” has a value that is not allowed.`)
      return value
    },
    takeResources(): void {
      if (lines[at] === 'Resources:') while (/^- ./.test(lines[++at] ?? '')) {}
      if (at < lines.length) throw invalid(`Line ${at + 1} is unknown or out of place.`)
    },
  }
}

const optionalTime = (name: string, value: string | undefined): number | undefined =>
  value === undefined ? undefined : timeOf(name, value)

function timeOf(name: string, value: string): number {
  const timeMs = ISO_TIME.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(timeMs)) throw invalid(`The line “${name}:” is not a time in ISO 8601.`)
  return timeMs
}

const invalid = (why: string) => refuseSignIn('INVALID_MESSAGE', `The signed text is not a sign-in message. ${why}`)

type SignInCode = Extract<ErrorCode, `X402_SIGN_IN_${string}`>

export const refuseSignIn = (
  code: SignInCode extends `X402_SIGN_IN_${infer Name}` ? Name : never,
  message: string,
): ApiError => new ApiError(`X402_SIGN_IN_${code}`, message)

/** Overload, or a node or worker that does not answer: the nonce is unspent, so the same proof may be sent again. */
export const signInUnavailable = (message: string, retryAfterSeconds: number, cause?: unknown): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', `${message} Nothing was spent; send the same sign-in again.`, {
    retryAfterSeconds,
    cause,
  })
