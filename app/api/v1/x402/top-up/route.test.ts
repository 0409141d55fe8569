import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { POST } from '@/app/api/v1/x402/top-up/route'
import { testDatabase } from '@/lib/db/testing'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { stopClock } from '@/lib/kernel/testing/time'
import { withEnvironment } from '@/lib/services/identity/testing'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { payV1, payV2, railOf, termsOf, testWallet, toBase64, toHeader } from '@/lib/services/payments/testing'
import { testChains } from '@/sandbox/testing'

const database = await testDatabase()
const chains = await testChains()
const { sandbox } = chains

// Ten requests a minute of one address are less than a test file makes.
beforeEach(() => resetPerProcess('windows'))

afterAll(async () => {
  const findings = await checkLedger(database, { depth: 'full' })
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([])
})

async function post(headers: Record<string, string> = {}, body?: string) {
  const request = new Request('http://localhost:3000/api/v1/x402/top-up', { method: 'POST', headers, body })
  const response = await POST(request, { params: Promise.resolve({}) })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}
const decoded = (header: string | null) => JSON.parse(Buffer.from(header ?? '', 'base64').toString())
const credits = async (wallet: string) =>
  database.query<{ amount: string }>(
    `select e.amount::text as amount from entry e join account a on a.id = e.account_id where a.ref = $1`,
    [wallet],
  )

describe.each(['evm', 'solana'] as const)('on %s', (family) => {
  test.each(['PAYMENT-SIGNATURE', 'X-402-Payment', 'X-PAYMENT'])(
    '%s takes version 2, version 1 and their mixture',
    async (name) => {
      const wallet = await testWallet(chains, family)
      const terms = await termsOf(sandbox, family, { amount: 7_250_000n })
      const payments = [
        await payV2(sandbox, wallet, terms),
        await payV1(sandbox, wallet, terms),
        await payV1(sandbox, wallet, terms, 2),
      ]
      for (const [index, payment] of payments.entries()) {
        const reply = await post({ [name]: toBase64(payment) })
        expect(reply.body).toEqual({
          success: true,
          data: {
            walletAddress: wallet.address,
            amountCredited: 7.25,
            newBalance: 7.25 * (index + 1),
            paymentId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          },
        })
        expect(reply.status).toBe(200)
        expect(decoded(reply.headers.get('PAYMENT-RESPONSE'))).toEqual({
          success: true,
          network: railOf(family).network,
          payer: wallet.address,
          transaction: expect.stringMatching(family === 'evm' ? /^0x[0-9a-f]{64}$/ : /^[1-9A-HJ-NP-Za-km-z]{80,90}$/),
        })
        const mirrored = reply.headers.get('X-PAYMENT-RESPONSE')
        expect(mirrored).toBe(name === 'X-PAYMENT' ? reply.headers.get('PAYMENT-RESPONSE') : null)
        expect(Number(reply.headers.get('X-Balance-Remaining'))).toBe(7.25 * (index + 1))
        expect(reply.headers.get('Cache-Control')).toBe('no-store')
      }
    },
  )

  test('a payment that is sent again gets the first answer, whatever was paid since', async () => {
    const wallet = await testWallet(chains, family)
    const terms = await termsOf(sandbox, family)
    const first = await payV2(sandbox, wallet, terms)
    const { body } = await post({ 'PAYMENT-SIGNATURE': toHeader(first) })
    await post({ 'PAYMENT-SIGNATURE': toHeader(await payV2(sandbox, wallet, terms)) })
    const retry = await post({ 'X-PAYMENT': toBase64(Object.fromEntries(Object.entries(first).reverse())) })
    expect(retry).toMatchObject({ status: 200, body })
    expect(retry.body.data.newBalance).toBe(5)
    expect(await credits(wallet.address)).toHaveLength(2)
  })

  test('of 20 parallel copies in many spellings one is credited', async () => {
    const wallet = await testWallet(chains, family)
    const payment = await payV2(sandbox, wallet, await termsOf(sandbox, family))
    const spell = (n: number) => {
      const text = toBase64({ ...payment, note: n })
      return n % 2 ? text : text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
    }
    const names = ['PAYMENT-SIGNATURE', 'X-402-Payment', 'X-PAYMENT'] as const
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        if (n % 5 === 0) resetPerProcess('windows')
        return post({ [names[n % 3] as string]: spell(n) })
      }),
    )
    const statuses = replies.map(({ status }) => status).filter((status) => status !== 429)
    expect(statuses).toContain(200)
    for (const status of statuses) expect([200, 409]).toContain(status)
    const refused = replies.find(({ status }) => status === 409)
    if (refused)
      expect(refused.body).toMatchObject({ error: 'PAYMENT_IN_PROGRESS', details: { paymentId: expect.any(String) } })
    expect(await credits(wallet.address)).toEqual([{ amount: '5000000000' }])
  })

  test('a wallet without the money is told so, and may send the same payment when it has it', async () => {
    const wallet = await testWallet(chains, family, 1_000_000n)
    const header = toHeader(await payV2(sandbox, wallet, await termsOf(sandbox, family)))
    const refused = await post({ 'PAYMENT-SIGNATURE': header })
    expect(refused.status).toBe(400)
    expect(refused.body).toMatchObject({
      error: 'PAYMENT_VERIFICATION_FAILED',
      details: { reason: expect.any(String) },
    })
    expect(refused.headers.get('PAYMENT-REQUIRED')).toBeNull()
    await (family === 'evm'
      ? chains.fundEvm(wallet.address, 5_000_000n)
      : chains.fundSolana(wallet.address, 5_000_000n))
    expect(await post({ 'PAYMENT-SIGNATURE': header })).toMatchObject({ status: 200 })
  })

  test('a signature by somebody else is refused, and nothing is kept', async () => {
    const [wallet, thief] = [await testWallet(chains, family), await testWallet(chains, family)]
    const terms = await termsOf(sandbox, family)
    const payment = structuredClone(await payV2(sandbox, wallet, terms)) as unknown as {
      payload: { signature: string; transaction: string }
    }
    const other = (await payV2(sandbox, thief, terms)) as unknown as typeof payment
    if (family === 'evm') payment.payload.signature = other.payload.signature
    else {
      const bytes = Buffer.from(payment.payload.transaction, 'base64')
      Buffer.from(other.payload.transaction, 'base64').copy(bytes, 65, 65, 129)
      payment.payload.transaction = bytes.toString('base64')
    }
    expect(await post({ 'PAYMENT-SIGNATURE': toBase64(payment) })).toMatchObject({
      status: 400,
      body: { error: 'PAYMENT_VERIFICATION_FAILED', details: { reason: 'invalid_signature' } },
    })
    const rows = await database.query('select 1 from payment where payer = $1', [wallet.address])
    expect(rows).toEqual([])
  })
})

describe('an EVM authorization', () => {
  const signed = async (window: { validAfter?: bigint; validBefore?: bigint }) => {
    const wallet = await testWallet(chains, 'evm')
    const now = BigInt(Math.floor(Date.now() / 1_000))
    const message = {
      from: wallet.account.address,
      to: sandbox.payTo.evm as `0x${string}`,
      value: 5_000_000n,
      validAfter: window.validAfter ?? now - 60n,
      validBefore: window.validBefore ?? now + 60n,
      nonce: `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}` as `0x${string}`,
    }
    const { asset, extra } = railOf('evm')
    const signature = await wallet.account.signTypedData({
      domain: { ...extra, chainId: 8453, verifyingContract: asset as `0x${string}` },
      types: {
        TransferWithAuthorization: [
          { name: 'from', type: 'address' },
          { name: 'to', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'validAfter', type: 'uint256' },
          { name: 'validBefore', type: 'uint256' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'TransferWithAuthorization',
      message,
    })
    const [validAfter, validBefore, value] = [message.validAfter, message.validBefore, message.value].map(String)
    const authorization = { ...message, validAfter, validBefore, value }
    return toBase64({ x402Version: 1, scheme: 'exact', network: 'base', payload: { signature, authorization } })
  }
  const now = () => BigInt(Math.floor(Date.now() / 1_000))

  test.each([
    ['expired', () => ({ validBefore: now() - 1n }), 'expired'],
    ['not yet valid', () => ({ validAfter: now() + 30n }), 'not_yet_valid'],
  ])('that is %s is refused', async (_, window, reason) => {
    expect(await post({ 'X-PAYMENT': await signed(window()) })).toMatchObject({
      status: 400,
      body: { error: 'PAYMENT_VERIFICATION_FAILED', details: { reason } },
    })
  })

  test('that is valid for ever is taken', async () => {
    expect(await post({ 'X-PAYMENT': await signed({ validAfter: 0n, validBefore: 2n ** 256n - 1n }) })).toMatchObject({
      status: 200,
    })
  })
})

test('without a payment it says what can be paid, EVM first, whatever the body is', async () => {
  for (const [headers, body] of [
    [{}, undefined],
    [{ 'Content-Type': 'text/plain' }, 'nonsense'],
  ] as const) {
    const reply = await post(headers, body)
    expect(reply.status).toBe(402)
    expect(reply.body).toEqual({
      x402Version: 2,
      accepts: [await termsOf(sandbox, 'evm'), await termsOf(sandbox, 'solana')],
    })
    expect(decoded(reply.headers.get('PAYMENT-REQUIRED'))).toEqual({
      ...reply.body,
      error: expect.any(String),
      resource: {
        url: 'http://localhost:3000/api/v1/x402/top-up',
        description: expect.any(String),
        mimeType: 'application/json',
      },
    })
    expect(reply.headers.get('Cache-Control')).toBe('no-store')
  }
})

test('without a rail it is not there', async () => {
  await withEnvironment({ SANDBOX: 'off' }, async () => {
    expect(await post()).toMatchObject({ status: 503, body: { error: 'X402_NOT_CONFIGURED' } })
    expect(await post({ 'X-PAYMENT': 'e30=' })).toMatchObject({ status: 503, body: { error: 'X402_NOT_CONFIGURED' } })
  })
})

test('credentials are nothing to it', async () => {
  expect(await post({ Authorization: 'Bearer nonsense', 'SIGN-IN-WITH-X': 'nonsense' })).toMatchObject({ status: 402 })
})

test('an address may ask ten times a minute', async () => {
  stopClock()
  const statuses = []
  for (let n = 0; n < 10; n++) statuses.push((await post()).status)
  expect(statuses).toEqual(Array(10).fill(402))
  const refused = await post()
  expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT_EXCEEDED' } })
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
})
