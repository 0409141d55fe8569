import { expect, test } from 'vitest'
import { type ChallengeInfo, signInFields, signInHeader, signInProblem } from '@/components/wallet/connect/sign-in'
import { connectTest } from '@/components/wallet/connect/test-wallet'
import { WalletError, type WalletPort } from '@/lib/browser/wallet-port'
import { walletId } from '@/lib/contract/chains'
import { ApiError } from '@/lib/contract/errors'
import { signInText } from '@/lib/contract/sign-in-format'
import { config } from '@/lib/kernel/config'
import { isSignedByEvm } from '@/lib/services/identity/sign-in/evm'
import { parseMessage } from '@/lib/services/identity/sign-in/parse-message'
import { parsePayload } from '@/lib/services/identity/sign-in/payload'
import { isSignedBySolana } from '@/lib/services/identity/sign-in/solana'
import { checkClaims } from '@/lib/services/identity/sign-in/verify'

const challenge = (): ChallengeInfo => ({
  domain: new URL(config().origin).host,
  uri: config().origin,
  version: '1',
  nonce: '9f1c2ab0d4e57788a0b1c2d3e4f50617',
  issuedAt: new Date().toISOString(),
  expirationTime: new Date(Date.now() + 300_000).toISOString(),
  statement: 'Sign in to Lagoon.',
})

async function headerOf(port: WalletPort, info: ChallengeInfo) {
  const message = signInText(signInFields(info, port))
  const payload = parsePayload(signInHeader(port, { message, signature: await port.signMessage(message) }))
  return { payload, claims: checkClaims(payload, parseMessage(payload.text, payload.family), Date.now()) }
}

test('an EVM wallet’s header passes the service’s own checks', async () => {
  const port = await connectTest('evm')
  const { payload, claims } = await headerOf(port, challenge())
  expect(claims).toEqual({ address: walletId(port.address), nonce: challenge().nonce })
  const proof = { ...payload, address: claims.address, client: 'test', assertAllowed: () => undefined }
  expect(await isSignedByEvm(proof)).toBe(true)
})

test('a Solana wallet’s header passes the service’s own checks', async () => {
  const port = await connectTest('solana')
  const { payload, claims } = await headerOf(port, challenge())
  expect(payload).toMatchObject({ family: 'solana', hasChain: true })
  expect(isSignedBySolana(claims.address, payload.text, payload.signature)).toBe(true)
})

test('a challenge without a statement is signed in the form of each family', async () => {
  const { statement: _, ...info } = challenge()
  for (const family of ['evm', 'solana'] as const) {
    const { claims } = await headerOf(await connectTest(family), info)
    expect(claims.nonce).toBe(info.nonce)
  }
})

test('asks for a new signature, and a new code, when the old one ran out', () => {
  const problem = signInProblem(new ApiError('X402_SIGN_IN_EXPIRED', 'Expired.'))
  expect(problem).toMatchObject({ needsChallenge: true, isFinal: false, code: 'X402_SIGN_IN_EXPIRED' })
  expect(problem.message).toMatch(/expired\. Sign again/)
})

test('shows the service’s own words where there are no better ones, with the id for a report', () => {
  const refusal = new ApiError('X402_SIGN_IN_FUTURE_TIMESTAMP', 'Issued in the future.', {
    headers: { 'cf-ray': 'r1' },
  })
  expect(signInProblem(refusal)).toEqual({
    message: 'Issued in the future.',
    code: 'X402_SIGN_IN_FUTURE_TIMESTAMP',
    requestId: 'r1',
    needsChallenge: true,
    isFinal: false,
  })
})

test('names no code of the service when the service was not reached', () => {
  expect(signInProblem(new TypeError('fetch failed'))).toEqual({
    message: 'The service could not be reached.',
    needsChallenge: false,
    isFinal: false,
  })
})

test('offers no second try with a wallet that lacks what is needed', () => {
  expect(signInProblem(new WalletError('unsupported', 'Quiet cannot sign a text.')).isFinal).toBe(true)
  expect(signInProblem(new WalletError('rejected', 'You declined the request. Nothing was changed.')).isFinal).toBe(
    false,
  )
})

test('keeps the code while the person only closed the wallet’s window', () => {
  expect(signInProblem(new WalletError('rejected', 'Nothing happened.')).needsChallenge).toBe(false)
})
