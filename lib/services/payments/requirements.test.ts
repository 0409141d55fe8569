import { describe, expect, test } from 'vitest'
import { usd } from '@/lib/contract/money'
import { testContext, withEnvironment } from '@/lib/services/identity/testing'
import { discovery, insufficientCredit, topUpRequired } from '@/lib/services/payments/requirements'
import { termsOf } from '@/lib/services/payments/testing'
import { testChains } from '@/sandbox/testing'

const { sandbox } = await testChains()
const url = 'http://localhost:3000/api/v1/chat/completions'
const decoded = (header: string | undefined) => JSON.parse(Buffer.from(header ?? '', 'base64').toString())

const challengeOf = (uri: string) => ({
  info: {
    domain: 'localhost:3000',
    uri,
    version: '1',
    nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
    issuedAt: expect.any(String),
    expirationTime: expect.any(String),
    statement: expect.any(String),
  },
  supportedChains: [
    { chainId: 'eip155:8453', type: 'eip191' },
    { chainId: 'eip155:8453', type: 'eip1271' },
    { chainId: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', type: 'ed25519' },
  ],
})
const options = async (amount: bigint) => [
  await termsOf(sandbox, 'evm', { amount }),
  await termsOf(sandbox, 'solana', { amount }),
]
const terms = async (amount: bigint) => ({
  x402Version: 2,
  error: 'Payment required',
  resource: { url, description: expect.any(String), mimeType: 'application/json' },
  accepts: await options(amount),
  extensions: { 'sign-in-with-x': challengeOf(url) },
})

test('who sends nothing learns all ways to pay and to sign in, and nothing else', async () => {
  const error = await discovery(testContext())
  expect(error.status).toBe(402)
  expect(error.body).toEqual({
    ...(await terms(10_000_000n)),
    authOptions: {
      apiKey: { header: 'Authorization: Bearer <API_KEY>', getKey: expect.any(String), docs: expect.any(String) },
      x402Wallet: {
        header: 'SIGN-IN-WITH-X',
        legacyHeader: 'X-Sign-In-With-X',
        topUp: 'POST /api/v1/x402/top-up',
        docs: expect.any(String),
      },
    },
  })
  expect(error.headers).toMatchObject({ 'Cache-Control': 'no-store' })
  expect(decoded(error.headers?.['PAYMENT-REQUIRED'])).toEqual(await terms(10_000_000n))
})

describe('a wallet with too little credit', () => {
  test('learns what it has, what is needed and how to get it', async () => {
    const error = await insufficientCredit(testContext(), { balance: usd('0.05'), minimum: usd('0.10') })
    expect(error.body).toEqual({
      error: 'Payment required',
      code: 'PAYMENT_REQUIRED',
      reason: 'insufficient_balance',
      message: expect.any(String),
      description: expect.any(String),
      currentBalanceUsd: 0.05,
      minimumBalanceUsd: 0.1,
      suggestedTopUpUsd: 10,
      minimumTopUpUsd: 5,
      supportedTokens: ['USDC'],
      supportedChains: ['base', 'solana'],
      topUpInstructions: {
        step1: expect.any(String),
        step2: expect.any(String),
        step3: expect.any(String),
        receiverWallet: sandbox.payTo.evm,
        tokenAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        tokenDecimals: 6,
        network: 'eip155:8453',
        minimumAmountUsd: 5,
      },
      siwxChallenge: challengeOf(url),
    })
    // The header is the protocol's object, not the body.
    expect(decoded(error.headers?.['PAYMENT-REQUIRED'])).toEqual(await terms(10_000_000n))
  })

  test.each([
    ['12.00', '25.50', 14_000_000n],
    ['0', '10.00', 10_000_000n],
    ['0', '10.000001', 11_000_000n],
    ['0', '90000', 10_000_000_000n],
  ])('of %s USD for %s is offered a payment that suffices', async (balance, minimum, amount) => {
    const error = await insufficientCredit(testContext(), { balance: usd(balance), minimum: usd(minimum) })
    expect(decoded(error.headers?.['PAYMENT-REQUIRED']).accepts[0].amount).toBe(String(amount))
  })
})

test('no nonce is given twice', async () => {
  const nonces = new Set<string>()
  for (let n = 0; n < 3; n++) {
    const [first, second] = [
      await discovery(testContext()),
      await insufficientCredit(testContext(), { balance: usd('0'), minimum: usd('1') }),
    ]
    const nonceOf = (header: string | undefined) => decoded(header).extensions['sign-in-with-x'].info.nonce
    for (const { headers } of [first, second]) nonces.add(nonceOf(headers?.['PAYMENT-REQUIRED']))
  }
  expect(nonces.size).toBe(6)
})

test('a refused settlement says so beside the terms', async () => {
  const error = await topUpRequired(testContext(), { error: 'No money moved.', code: 'SETTLEMENT_FAILED' })
  expect(error).toMatchObject({ status: 402, body: { error: 'SETTLEMENT_FAILED', message: 'No money moved.' } })
  expect(decoded(error.headers?.['PAYMENT-REQUIRED'])).toMatchObject({
    x402Version: 2,
    accepts: await options(5_000_000n),
  })
})

test('a facilitator that is down takes only the rail that needs it away', async () => {
  const live = {
    SANDBOX: 'off',
    X402_PAY_TO_EVM: sandbox.payTo.evm,
    X402_PAY_TO_SOLANA: sandbox.payTo.solana,
    X402_FACILITATOR_URL: 'http://127.0.0.1:9',
    WALLET_RPC_URL_EVM: sandbox.evmUrl,
    WALLET_RPC_URL_SOLANA: sandbox.solanaUrl,
    PAYMENTS_ON_EMBEDDED_DATABASE: 'on',
    LOG_LEVEL: 'silent',
    LOG_FORMAT: 'json',
  }
  await withEnvironment(live, async () => {
    const { body } = await topUpRequired(testContext())
    expect(body).toEqual({ x402Version: 2, accepts: [await termsOf(sandbox, 'evm')] })
  })
})

test('with no rail there is nothing to accept and no challenge', async () => {
  await withEnvironment({ SANDBOX: 'off' }, async () => {
    const { body } = await discovery(testContext())
    expect(body).toMatchObject({ accepts: [] })
    expect(body).not.toHaveProperty('extensions')
  })
})

describe('a sandbox names the host that it was asked by', () => {
  const askedBy = async (host: string, variables: Record<string, string> = {}) =>
    await withEnvironment(variables, async () => {
      const { body } = await discovery(testContext({ headers: { host } }))
      const { resource, extensions } = body as {
        resource: { url: string }
        extensions: { 'sign-in-with-x': { info: { domain: string; uri: string } } }
      }
      const { domain, uri } = extensions['sign-in-with-x'].info
      expect(uri).toBe(resource.url)
      return [new URL(resource.url).host, domain]
    })

  test.each(['127.0.0.1:3000', '[::1]:4000', 'localhost:3001'])('of this machine: %s', async (host) => {
    expect(await askedBy(host)).toEqual([host, host])
  })

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1@evil.example', '10.0.0.7:3000'])(
    'and never another: %s',
    async (host) => {
      expect(await askedBy(host)).toEqual(['localhost:3000', 'localhost:3000'])
    },
  )
})
