import 'server-only'
import { errors, jwtVerify, SignJWT } from 'jose'
import { familyOf, walletId } from '@/lib/contract/chains'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { installationSecret } from '@/lib/db/installation-secret'
import { config } from '@/lib/kernel/config'
import type { RequestContext } from '@/lib/kernel/request-context'
import { assertActive } from '@/lib/pipeline/admit'
import { type ApiKey, createKey, type NewKey } from '@/lib/services/identity/api-keys'
import { claimNonce } from '@/lib/services/identity/sign-in/claim-nonce'
import { isSignedByEvm } from '@/lib/services/identity/sign-in/evm'
import { assertNotBlocked, assertWithinBudget, countAsWallet } from '@/lib/services/limits/failed-requests'
import { StakeUnknown, stakedBalance, stakingOf } from '@/lib/services/payments/staking'

// Source: API contract, api-keys.md "Web3 key generation".
const TOKEN_TTL_SECONDS = 15 * 60
// Tokens have about 300; the wallet shows them to its owner.
const MAX_TOKEN_CHARACTERS = 2_048
const ALGORITHM = 'HS256'
// The ids of used tokens are nonces of this issuer.
const ISSUER = 'web3-key'
const SECRET_NAME = 'web3-key-secret'

type Web3KeyRequest = Omit<NewKey, 'accountId'> & { address: string; signature: string; token: string }

/** Issues a token for a wallet to sign. It is not stored: its own signature proves it. */
export async function issueWeb3Token(): Promise<string> {
  const { origin } = config()
  return new SignJWT()
    .setProtectedHeader({ alg: ALGORITHM })
    .setIssuer(origin)
    .setAudience(origin)
    .setIssuedAt()
    .setExpirationTime(`${TOKEN_TTL_SECONDS}s`)
    .setJti(uuid())
    .sign(await tokenSecret())
}

/**
 * Creates a key for a wallet with staked tokens, in the wallet's own account. A token makes one key; it is used up only
 * when everything else is right. Source: API contract, api-keys.md, the server steps in their order. @throws ApiError
 * INVALID_REQUEST (400) saying which step failed, STAKING_NOT_CONFIGURED (503), RATE_LIMIT_EXCEEDED (429).
 */
export async function createWeb3Key(
  context: RequestContext,
  request: Web3KeyRequest,
): Promise<ApiKey & { secret: string }> {
  if (!stakingOf()) {
    throw new ApiError('STAKING_NOT_CONFIGURED', 'This server has no staking, so wallets get no keys this way.')
  }
  const { address, signature, token, ...key } = request
  if (familyOf(address) !== 'evm') throw refuse('The address is not an EVM address: 0x and 40 hex digits.')
  const wallet = walletId(address)
  countAsWallet(context, wallet)
  await assertWithinBudget(context)
  const tokenId = await verifyToken(token)
  await assertSigned(context, wallet, token, signature)
  await assertStaked(wallet)
  const claimed = await claimNonce({
    wallet,
    nonce: tokenId,
    text: token,
    issuer: ISSUER,
    ttlSeconds: TOKEN_TTL_SECONDS,
    client: context.clientAddress,
  })
  if (claimed.outcome !== 'claimed') throw refuse('The token was used before. Get a new one.')
  assertActive(claimed.status)
  context.facts.accountId = claimed.accountId
  return createKey({ ...key, accountId: claimed.accountId })
}

async function verifyToken(token: string): Promise<string> {
  if (token.length > MAX_TOKEN_CHARACTERS) throw refuse('The token is malformed.')
  const { origin } = config()
  try {
    const { payload } = await jwtVerify(token, await tokenSecret(), {
      algorithms: [ALGORITHM],
      issuer: origin,
      audience: origin,
      requiredClaims: ['iat', 'exp', 'jti'],
      maxTokenAge: TOKEN_TTL_SECONDS,
    })
    return String(payload.jti)
  } catch (cause) {
    if (!(cause instanceof errors.JOSEError)) throw cause
    throw refuse(tokenFault(cause), cause)
  }
}

function tokenFault(fault: errors.JOSEError): string {
  if (fault instanceof errors.JWTExpired) return 'The token has expired. Get a new one.'
  if (fault instanceof errors.JWTClaimValidationFailed) return 'The claims of the token are invalid. Get a new one.'
  if (fault instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is invalid.'
  return 'The token is malformed.'
}

async function assertSigned(context: RequestContext, wallet: string, token: string, signature: string): Promise<void> {
  const isSigned = await isSignedByEvm({
    address: wallet,
    text: token,
    signature,
    client: context.clientAddress,
    assertAllowed: () => assertNotBlocked(context),
  }).catch((cause: unknown) => {
    if (cause instanceof ApiError && cause.code === 'SERVICE_UNAVAILABLE') throw transient('signature', cause)
    throw cause
  })
  if (!isSigned) throw refuse('The signature is not the wallet’s signature of the token.')
}

async function assertStaked(wallet: string): Promise<void> {
  const staked = await stakedBalance(wallet).catch((cause: unknown) => {
    if (cause instanceof StakeUnknown) throw transient('staked balance', cause)
    throw cause
  })
  if (staked <= 0n) throw refuse('The wallet has no staked balance. Stake some tokens first.')
}

// A token is valid in all processes, and after a restart.
const tokenSecret = (): Promise<Uint8Array> => installationSecret(SECRET_NAME)

const refuse = (message: string, cause?: unknown) => new ApiError('INVALID_REQUEST', message, { cause })

const transient = (what: string, cause: unknown) =>
  refuse(`The ${what} could not be verified on chain right now. Nothing was used up; try again in a moment.`, cause)
