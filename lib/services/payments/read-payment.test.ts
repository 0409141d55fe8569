import { generateKeyPairSigner } from '@solana/kit'
import { describe, expect, test } from 'vitest'
import { SOLANA_NETWORK } from '@/lib/contract/chains'
import { ApiError } from '@/lib/contract/errors'
import { rails } from '@/lib/services/chains/rails'
import { decodeTransaction, instructionsOf } from '@/lib/services/payments/payment-solana'
import type { Payment } from '@/lib/services/payments/payment-types'
import { paymentHeader, readPayment } from '@/lib/services/payments/read-payment'
import { payV1, payV2, railOf, termsOf, testWallet, toBase64, toHeader } from '@/lib/services/payments/testing'
import { testChains } from '@/sandbox/testing'

const chains = await testChains()
const { sandbox } = chains
const evmWallet = await testWallet(chains, 'evm')
const solanaWallet = await testWallet(chains, 'solana')
const walletOf = { evm: evmWallet, solana: solanaWallet }

const read = (value: unknown): Promise<Payment> =>
  readPayment(typeof value === 'string' ? value : toBase64(value), rails())
const codeOf = (value: unknown, over = rails()) =>
  readPayment(typeof value === 'string' ? value : toBase64(value), over).then(
    () => 'taken',
    (error: unknown) => (error instanceof ApiError ? error.code : Promise.reject(error)),
  )

/** Any JSON document that stands for a payment, to be taken apart. */
type Wire = Record<string, never> & {
  scheme: string
  network: string
  accepted: Record<string, unknown>
  payload: { signature: string; transaction: string; authorization: Record<string, unknown> }
}
const copy = (payment: object): Wire => structuredClone(payment) as Wire

describe.each(['evm', 'solana'] as const)('a payment on %s', (family) => {
  test('is the same in all three shapes', async () => {
    const a = copy(await payV2(sandbox, walletOf[family], await termsOf(sandbox, family)))
    const { accepted: _, ...rest } = a
    const alias = railOf(family).alias
    const b = { ...rest, x402Version: 1, scheme: 'exact', network: alias }
    const c = { ...b, x402Version: 2 }
    const payments = await Promise.all([a, b, c, { ...c, network: railOf(family).network }].map(read))
    for (const payment of payments) expect(payment).toEqual(payments[0])
    expect(payments[0]).toMatchObject({ family, amount: 5_000_000n, payer: walletOf[family].address })
  })

  test('of the version 1 builders is read', async () => {
    const terms = await termsOf(sandbox, family, { amount: 6_000_000n })
    const payment = await read(await payV1(sandbox, walletOf[family], terms))
    expect(payment).toMatchObject({ family, amount: 6_000_000n, payer: walletOf[family].address })
  })

  test('has one key in every spelling', async () => {
    const payment = copy(await payV2(sandbox, walletOf[family], await termsOf(sandbox, family)))
    const reversed = Object.fromEntries(Object.entries({ ...payment, note: 'ä', extensions: null }).reverse())
    const base64 = toBase64(payment)
    const spellings = [
      base64,
      base64.replaceAll('=', ''),
      base64.replaceAll('+', '-').replaceAll('/', '_'),
      toBase64(reversed),
      Buffer.from(JSON.stringify(payment, null, 2)).toString('base64url'),
    ]
    const keys = new Set((await Promise.all(spellings.map(read))).map(({ key }) => key))
    expect(keys.size).toBe(1)
  })

  test.each([
    ['4.999999', 4_999_999n, 'AMOUNT_TOO_LOW'],
    ['5', 5_000_000n, 'taken'],
    ['10,000', 10_000_000_000n, 'taken'],
    ['10,000.000001', 10_000_000_001n, 'AMOUNT_TOO_HIGH'],
  ])('of %s USD is answered as the bounds say', async (_, amount, code) => {
    const payment = await payV2(sandbox, walletOf[family], await termsOf(sandbox, family, { amount }))
    expect(await codeOf(payment)).toBe(code)
  })

  test.each<[string, string, (payment: Wire) => unknown]>([
    ['another scheme', 'UNSUPPORTED_SCHEME', (p) => ({ ...p, accepted: { ...p.accepted, scheme: 'upto' } })],
    ['another network', 'UNSUPPORTED_NETWORK', (p) => ({ ...p, accepted: { ...p.accepted, network: 'eip155:1' } })],
    ['another asset', 'UNSUPPORTED_TOKEN', (p) => ({ ...p, accepted: { ...p.accepted, asset: '0x00' } })],
    [
      'another receiver in its terms',
      'INVALID_PAYMENT_RECIPIENT',
      (p) => ({ ...p, accepted: { ...p.accepted, payTo: 'x' } }),
    ],
    [
      'another amount in its terms',
      'INVALID_AMOUNT',
      (p) => ({ ...p, accepted: { ...p.accepted, amount: '5000001' } }),
    ],
    [
      'a leading zero in its terms',
      'INVALID_AMOUNT',
      (p) => ({ ...p, accepted: { ...p.accepted, amount: `0${p.accepted.amount}` } }),
    ],
    ['a number as its amount', 'INVALID_AMOUNT', (p) => ({ ...p, accepted: { ...p.accepted, amount: 5_000_000 } })],
    ['no payload', 'INVALID_PAYMENT_FORMAT', ({ payload: _, ...p }) => p],
    ['an unknown version', 'INVALID_PAYMENT_FORMAT', (p) => ({ ...p, x402Version: 3 })],
    ['terms that are text', 'INVALID_PAYMENT_FORMAT', (p) => ({ ...p, accepted: 'exact' })],
    ['an empty payload', 'INVALID_PAYMENT_FORMAT', (p) => ({ ...p, payload: {} })],
  ])('with %s is refused', async (_, code, change) => {
    const payment = copy(await payV2(sandbox, walletOf[family], await termsOf(sandbox, family)))
    expect(await codeOf(change(payment))).toBe(code)
  })

  test('to somebody else is refused', async () => {
    const payTo = family === 'evm' ? `0x${'12'.repeat(20)}` : (await generateKeyPairSigner()).address
    await (family === 'evm' ? chains.fundEvm(payTo, 0n) : chains.fundSolana(payTo, 0n))
    const payment = copy(await payV2(sandbox, walletOf[family], await termsOf(sandbox, family, { payTo })))
    expect(await codeOf({ ...payment, accepted: { ...payment.accepted, payTo: railOf(family).payTo } })).toBe(
      'INVALID_PAYMENT_RECIPIENT',
    )
  })
})

describe('an EVM payload', () => {
  type Authorization = Record<string, unknown>
  const change = async (changes: Authorization, signature?: string) => {
    const payment = copy(await payV1(sandbox, evmWallet, await termsOf(sandbox, 'evm')))
    Object.assign(payment.payload.authorization, changes)
    if (signature !== undefined) payment.payload.signature = signature
    return payment
  }

  test('has one key whatever the case of its hex', async () => {
    const payment = await change({})
    const { from, nonce } = payment.payload.authorization as { from: string; nonce: string }
    const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`
    const shouted = structuredClone(payment)
    Object.assign(shouted.payload.authorization, { from: upper(from), nonce: upper(nonce) })
    expect((await read(shouted)).key).toBe((await read(payment)).key)
    expect((await read(payment)).key).toBe(`eip155:8453:${railOf('evm').asset}:${from}:${nonce}`.toLowerCase())
  })

  test.each<[string, string, Authorization]>([
    ['a fraction as value', 'INVALID_AMOUNT', { value: '5000000.5' }],
    ['a negative value', 'INVALID_AMOUNT', { value: '-5000000' }],
    ['nothing as value', 'INVALID_AMOUNT', { value: '0' }],
    ['a leading zero in the value', 'INVALID_AMOUNT', { value: '05000000' }],
    ['hex as value', 'INVALID_AMOUNT', { value: '0x4c4b40' }],
    ['a value beyond all', 'AMOUNT_TOO_HIGH', { value: '9'.repeat(78) }],
    ['no payer', 'INVALID_PAYMENT_FORMAT', { from: undefined }],
    ['a short payer', 'INVALID_PAYMENT_PAYER', { from: '0x1234' }],
    ['nobody as payer', 'INVALID_PAYMENT_PAYER', { from: `0x${'0'.repeat(40)}` }],
    ['our receiver as payer', 'INVALID_PAYMENT_PAYER', { from: sandbox.payTo.evm }],
    ['a short nonce', 'INVALID_PAYMENT_FORMAT', { nonce: '0x12' }],
    ['a time that is none', 'INVALID_PAYMENT_FORMAT', { validBefore: 'soon' }],
    ['a time beyond the type', 'INVALID_PAYMENT_FORMAT', { validBefore: '9'.repeat(78) }],
  ])('with %s is refused', async (_, code, changes) => {
    expect(await codeOf(await change(changes))).toBe(code)
  })

  test.each([['0x12'], ['12'.repeat(65)], [`0x${'zz'.repeat(65)}`], [`0x${'12'.repeat(5_000)}`]])(
    'with a signature of another form is refused (%#)',
    async (signature) => {
      expect(await codeOf(await change({}, signature))).toBe('INVALID_PAYMENT_FORMAT')
    },
  )
})

describe('a Solana payload', () => {
  const header = async () => copy(await payV2(sandbox, solanaWallet, await termsOf(sandbox, 'solana')))

  test('is known by its message, however it is signed', async () => {
    const payment = await header()
    const bytes = Buffer.from(payment.payload.transaction, 'base64')
    // The first signature is the fee payer's, which is still missing.
    bytes.fill(7, 1, 65)
    const signed = { ...payment, payload: { transaction: bytes.toString('base64url') } }
    const { key } = await read(payment)
    expect((await read(signed)).key).toBe(key)
    expect(key).toMatch(new RegExp(`^${SOLANA_NETWORK}:[0-9a-f]{64}$`))
  })

  test.each<[string, string, (transaction: Buffer) => Buffer]>([
    ['cut in the middle', 'INVALID_PAYMENT_FORMAT', (bytes) => bytes.subarray(0, 150)],
    ['of noise', 'INVALID_PAYMENT_FORMAT', () => Buffer.alloc(200, 0xff)],
  ])('%s is refused', async (_, code, change) => {
    const payment = await header()
    const transaction = change(Buffer.from(payment.payload.transaction, 'base64')).toString('base64')
    expect(await codeOf({ ...payment, payload: { transaction } })).toBe(code)
  })

  test('whose fee payer is the payer is refused', async () => {
    const terms = await termsOf(sandbox, 'solana')
    const selfPaid = { ...terms, extra: { ...terms.extra, feePayer: solanaWallet.address } }
    expect(await codeOf(await payV2(sandbox, solanaWallet, selfPaid))).toBe('INVALID_PAYMENT_PAYER')
  })

  test('is three instructions and a memo', async () => {
    const { message } = decodeTransaction((await header()).payload.transaction)
    expect(instructionsOf(message)).toHaveLength(4)
  })
})

test.each([
  ['no base64', '{"x402Version":1}'],
  ['base64 of no JSON', Buffer.from('hello').toString('base64')],
  ['base64 of bytes that are no text', Buffer.from([0xff, 0xfe, 0x80]).toString('base64')],
  ['a list', toBase64([])],
  ['null', toBase64(null)],
  ['text', toBase64('exact')],
  ['two headers joined', `${toBase64({})}, ${toBase64({})}`],
  ['more than 16 KiB', 'A'.repeat(16_388)],
])('%s is no payment', async (_, header) => {
  expect(await codeOf(header)).toBe('INVALID_PAYMENT_FORMAT')
})

test('without a rail nothing is read', async () => {
  expect(await codeOf('nonsense', [])).toBe('X402_NOT_CONFIGURED')
})

test('errors have the shape of payments', async () => {
  const error = await read({}).catch((thrown: unknown) => thrown as ApiError)
  expect(error).toMatchObject({ status: 400, body: { error: 'INVALID_PAYMENT_FORMAT', message: expect.any(String) } })
})

test('one header is read, under the canonical name first', () => {
  expect(paymentHeader(new Headers())).toBeUndefined()
  for (const name of ['PAYMENT-SIGNATURE', 'X-402-Payment', 'X-PAYMENT']) {
    expect(paymentHeader(new Headers({ [name]: ' YQ== ' }))).toBe('YQ==')
  }
  const all = { 'X-PAYMENT': 'Yw==', 'X-402-Payment': 'Yg==', 'PAYMENT-SIGNATURE': 'YQ==' }
  expect(paymentHeader(new Headers(all))).toBe('YQ==')
  expect(paymentHeader(new Headers({ ...all, 'PAYMENT-SIGNATURE': ' ' }))).toBe('Yg==')
})

test('a header made by the official encoder is read', async () => {
  const payment = await payV2(sandbox, evmWallet, await termsOf(sandbox, 'evm'))
  expect(await read(toHeader(payment))).toMatchObject({ payer: evmWallet.address })
})
