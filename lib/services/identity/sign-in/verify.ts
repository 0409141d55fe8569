import 'server-only'
import { CHAIN_REFERENCE, type Family, SOLANA_NETWORK, walletId } from '@/lib/contract/chains'
import { signInHeader } from '@/lib/contract/headers'
import { config } from '@/lib/kernel/config'
import type { RequestContext } from '@/lib/kernel/request-context'
import { MAX_AGE_MS, MAX_AHEAD_MS } from '@/lib/services/identity/sign-in/challenge'
import { claimNonce, type WalletAccount } from '@/lib/services/identity/sign-in/claim-nonce'
import { isSignedByEvm } from '@/lib/services/identity/sign-in/evm'
import { parseMessage, refuseSignIn, type SignInMessage } from '@/lib/services/identity/sign-in/parse-message'
import { parsePayload, type SignInPayload } from '@/lib/services/identity/sign-in/payload'
import { isSignedBySolana, isSolanaAddress } from '@/lib/services/identity/sign-in/solana'
import {
  assertNotBlocked,
  assertWalletsWithinBudget,
  assertWithinBudget,
  countAsWallet,
} from '@/lib/services/limits/failed-requests'

export type SignedIn = WalletAccount & {
  address: string
  family: Family
}

/**
 * Checks a wallet's proof in the order of the contract (x402.md 3.4): what is cheap before any curve, and a client that
 * keeps failing before all of it. The nonce is used up once the signature is good, whatever becomes of the request.
 * @param mayRepeat takes the same proof again while it is young: on routes that only read.
 * @throws ApiError X402_SIGN_IN_… of the first step that fails.
 */
export async function verifySignIn(context: RequestContext, { mayRepeat }: { mayRepeat: boolean }): Promise<SignedIn> {
  assertWalletsWithinBudget(context)
  const payload = parsePayload(signInHeader(context.headers) ?? '')
  const message = parseMessage(payload.text, payload.family)
  const { address, nonce } = checkClaims(payload, message, Date.now())
  countAsWallet(context, address)
  await assertWithinBudget(context)
  const text = await signedText(context, payload, address)
  if (text === undefined) {
    throw refuseSignIn('INVALID_SIGNATURE', 'The signature is not the wallet’s signature of this text.')
  }
  const claimed = await claimNonce({ wallet: address, nonce, text, client: context.clientAddress })
  const isGood = claimed.outcome === 'claimed' || (claimed.outcome === 'repeated' && mayRepeat)
  if (!isGood) throw refuseSignIn('NONCE_REUSED', 'This sign-in was used before. Sign a new one with another nonce.')
  const { outcome: _, ...account } = claimed
  return { ...account, address, family: payload.family }
}

async function signedText(
  context: RequestContext,
  payload: SignInPayload,
  address: string,
): Promise<string | undefined> {
  const { text, otherText } = payload
  if (await isSigned(context, payload, address, text)) return text
  if (otherText !== undefined && (await isSigned(context, payload, address, otherText))) return otherText
}

function isSigned(
  context: RequestContext,
  { family, signature }: SignInPayload,
  address: string,
  text: string,
): boolean | Promise<boolean> {
  if (family === 'solana') return isSignedBySolana(address, text, signature)
  return isSignedByEvm({
    address,
    text,
    signature,
    client: context.clientAddress,
    // Asked again when its turn has come: many may have been sent before the first one failed.
    assertAllowed: () => assertNotBlocked(context),
  })
}

/** Source: API contract, x402.md 3.1. */
const MAX_TIMESTAMP_DISTANCE_MS = 30_000

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/
const ZERO_ADDRESS = /^0x0{40}$/
const NONCE = /^[A-Za-z0-9]{8,128}$/
/** An authority as EIP-4361 has it. No user part: `us@them` is a page of theirs. */
const AUTHORITY =
  /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?(?:\/[^\s?#@\\]*)?$/
const DEFAULT_PORTS: ReadonlySet<string> = new Set(['80', '443'])
const SANDBOX_HOSTS = ['localhost', '127.0.0.1', '[::1]']

type Claims = { address: string; nonce: string }

/**
 * Checks everything that needs no curve. Source: API contract, x402.md 3.4, steps 6 to 10.
 * @throws ApiError X402_SIGN_IN_… of the first step that fails.
 */
export function checkClaims(payload: SignInPayload, message: SignInMessage, nowMs: number): Claims {
  const address = walletId(payload.address)
  if (walletId(message.address) !== address) {
    throw refuseSignIn('ADDRESS_MISMATCH', 'The address in the signed text is not the address that signs in.')
  }
  assertAddress(payload)
  assertChain(payload, message)
  const { nonce } = message
  if (nonce === undefined || !NONCE.test(nonce)) {
    throw refuseSignIn('MISSING_NONCE', 'The signed text needs a nonce: at least 8 letters and digits.')
  }
  assertDomain(message.domain)
  assertTimes(payload, message, nowMs)
  return { address, nonce }
}

function assertAddress({ family, address }: SignInPayload): void {
  const isValid = family === 'evm' ? EVM_ADDRESS.test(address) && !ZERO_ADDRESS.test(address) : isSolanaAddress(address)
  if (isValid) return
  const form = family === 'evm' ? '0x and 40 hex digits' : 'base58 of 32 bytes'
  throw refuseSignIn('INVALID_WALLET', `The address is not a wallet’s: ${form} are expected.`)
}

function assertChain({ family, hasChain }: SignInPayload, { chainId }: SignInMessage): void {
  if (chainId === CHAIN_REFERENCE[family] || (family === 'solana' && chainId === SOLANA_NETWORK)) return
  if (chainId !== undefined && hasChain) {
    throw refuseSignIn('CHAIN_MISMATCH', 'The chain in the signed text is not the chainId that was sent.')
  }
  throw refuseSignIn('UNSUPPORTED_CHAIN', `The signed text must say “Chain ID: ${CHAIN_REFERENCE[family]}”.`)
}

function assertDomain(domain: string): void {
  const { origin, signInDomains, isSandbox } = config()
  const authority = authorityOf(domain)
  const allowed = [new URL(origin).host, ...signInDomains].map((name) => authorityOf(name)?.name)
  // Test wallets may sign for any port of this machine: there is nothing to steal.
  if (authority && (allowed.includes(authority.name) || (isSandbox && SANDBOX_HOSTS.includes(authority.host)))) return
  throw refuseSignIn('DOMAIN_MISMATCH', `The signed text is for another site. It must be for ${new URL(origin).host}.`)
}

function authorityOf(domain: string): { host: string; name: string } | undefined {
  const [, written, port] = AUTHORITY.exec(domain) ?? []
  // Lower case comes after: a sign of another alphabet may have one of ours for its lower case.
  const host = written?.toLowerCase()
  if (host === undefined) return undefined
  return { host, name: port === undefined || DEFAULT_PORTS.has(port) ? host : `${host}:${port}` }
}

function assertTimes({ timestampMs }: SignInPayload, message: SignInMessage, nowMs: number): void {
  const { issuedAtMs, expirationTimeMs, notBeforeMs } = message
  if (issuedAtMs < nowMs - MAX_AGE_MS) {
    throw refuseSignIn('EXPIRED', 'The sign-in is older than five minutes. Sign a new one.')
  }
  if (issuedAtMs > nowMs + MAX_AHEAD_MS) {
    throw refuseSignIn('FUTURE_TIMESTAMP', 'The sign-in is from the future. Set the clock and sign a new one.')
  }
  if (expirationTimeMs !== undefined && expirationTimeMs <= nowMs) {
    throw refuseSignIn('EXPIRED', 'The sign-in has expired. Sign a new one.')
  }
  if (notBeforeMs !== undefined && notBeforeMs > nowMs) {
    throw refuseSignIn('NOT_BEFORE', 'The sign-in is not valid yet.')
  }
  if (timestampMs !== undefined && Math.abs(timestampMs - issuedAtMs) > MAX_TIMESTAMP_DISTANCE_MS) {
    throw refuseSignIn('TIMESTAMP_MISMATCH', 'timestamp: is more than 30 seconds away from “Issued At”.')
  }
}
