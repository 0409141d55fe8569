import { generateKeyPairSigner } from '@solana/kit'
import { createSIWxPayload, encodeSIWxHeader } from '@x402/extensions/sign-in-with-x'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { challenge } from '@/lib/access/sign-in/challenge'
import { verifySignIn } from '@/lib/access/sign-in/verify'
import { testContext, withEnvironment } from '@/lib/access/testing'
import { testDatabase } from '@/lib/db/testing'

await testDatabase()

/** What a client of the protocol makes of the challenge in a 402, with the helpers of its own library. */
async function headerFor(type: 'eip191' | 'ed25519', signer: Parameters<typeof createSIWxPayload>[1], uri: string) {
  const { info, supportedChains } = challenge(uri)
  const chain = supportedChains.find((supported) => supported.type === type)!
  return encodeSIWxHeader(await createSIWxPayload({ ...info, ...chain, type }, signer, uri))
}

const SERVICES = [
  [{}, 'http://localhost:3000/api/v1/chat/completions'],
  [{ SERVICE_ORIGIN: 'https://api.example', SANDBOX: 'off' }, 'https://api.example/api/v1/embeddings'],
] as const

test.each(SERVICES)('the x402 client of an EVM wallet signs in with %o', async (environment, uri) => {
  await withEnvironment({ ...environment }, async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const headers = { 'SIGN-IN-WITH-X': await headerFor('eip191', account, uri) }
    const { address } = await verifySignIn(testContext({ headers }), { mayRepeat: false })
    expect(address).toBe(account.address.toLowerCase())
  })
})

test.each(SERVICES)('the x402 client of a Solana wallet signs in with %o', async (environment, uri) => {
  await withEnvironment({ ...environment }, async () => {
    const signer = await generateKeyPairSigner()
    // The library wants one address among its signatures' keys; the signer's are many. Both are there at run time.
    const messageSigner = signer as unknown as Parameters<typeof createSIWxPayload>[1]
    const headers = { 'SIGN-IN-WITH-X': await headerFor('ed25519', messageSigner, uri) }
    const { address } = await verifySignIn(testContext({ headers }), { mayRepeat: false })
    expect(address).toBe(signer.address)
  })
})

test('every challenge has a nonce of its own and five minutes', () => {
  const [one, two] = [challenge('http://localhost:3000/a'), challenge('http://localhost:3000/a')]
  expect(one.info.nonce).toMatch(/^[0-9a-f]{32}$/)
  expect(one.info.nonce).not.toBe(two.info.nonce)
  expect(Date.parse(one.info.expirationTime) - Date.parse(one.info.issuedAt)).toBe(300_000)
  expect(one.info).toMatchObject({ domain: 'localhost:3000', uri: 'http://localhost:3000/a', version: '1' })
  expect(one.info.statement).toContain('Lagoon')
})

test('contract wallets are invited only where a node can be asked', async () => {
  const typesOf = () => challenge('http://localhost:3000').supportedChains.map(({ type }) => type)
  expect(typesOf()).toEqual(['eip191', 'ed25519'])
  await withEnvironment({ SANDBOX: 'off', WALLET_RPC_URL_EVM: 'https://node.example' }, () => {
    expect(typesOf()).toEqual(['eip191', 'eip1271', 'ed25519'])
  })
})
