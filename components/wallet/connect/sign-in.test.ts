import { expect, test } from 'vitest'
import { type ChallengeInfo, signInFields, signInHeader } from '@/components/wallet/connect/sign-in'
import { connectTest } from '@/components/wallet/connect/test-wallet'
import type { WalletPort } from '@/lib/browser/wallet-port'
import { walletId } from '@/lib/contract/chains'
import { signInText } from '@/lib/contract/sign-in-text'
import { config } from '@/lib/kernel/config'
import { checkClaims } from '@/lib/services/identity/sign-in/claims'
import { isSignedByEvm } from '@/lib/services/identity/sign-in/evm'
import { parseMessage } from '@/lib/services/identity/sign-in/message'
import { parsePayload } from '@/lib/services/identity/sign-in/payload'
import { isSignedBySolana } from '@/lib/services/identity/sign-in/solana'

const challenge = (): ChallengeInfo => ({
  domain: new URL(config().origin).host,
  uri: config().origin,
  version: '1',
  nonce: '9f1c2ab0d4e57788a0b1c2d3e4f50617',
  issuedAt: new Date().toISOString(),
  expirationTime: new Date(Date.now() + 300_000).toISOString(),
  statement: 'Sign in to Lagoon.',
})

/** The header that the page sends, read as the service reads it: everything but the one use of the code. */
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
