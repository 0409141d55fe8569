import type { KeyPairSigner } from '@solana/kit'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { ExactEvmSchemeV1 } from '@x402/evm/v1'
import { decodePaymentResponseHeader, wrapFetchWithPayment } from '@x402/fetch'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { ExactSvmSchemeV1 } from '@x402/svm/v1'
import type { PrivateKeyAccount } from 'viem'
import { expect, test } from '@/e2e/contract/shared-stage'
import { expectError } from '@/e2e/testing/ask'
import { COST_NANO } from '@/e2e/testing/contract-upstream'
import { newEvmAccount, newSolanaSigner, type WalletStage } from '@/e2e/testing/wallet-stage'
import { EVM_NETWORK, SOLANA_NETWORK } from '@/lib/contract/chains'

/** Payments by clients that others wrote, unmodified, against the built server and its local chains. */

const CHAT = { model: 'say', messages: [{ role: 'user', content: 'Hello' }] }
const NANO_PER_USD = 1_000_000_000

let stage: WalletStage

test.describe.configure({ timeout: 120_000 })
test.beforeAll(({ wallets }) => {
  stage = wallets
})

type Rail = { name: 'evm' | 'solana'; network: string; newPayer: () => Promise<Payer> }
type Payer = { address: string; client: x402Client; v1: (requirement: PaymentRequirements) => Promise<object> }

/** Ten dollars is more than these clients spend by themselves: our docs say so too. */
const SPEND_CONTROLS = { maxAmountPerPayment: '$100' }

const RAILS: Rail[] = [
  {
    name: 'evm',
    network: EVM_NETWORK,
    newPayer: async () => {
      const account: PrivateKeyAccount = newEvmAccount()
      await stage.fund(account.address)
      return {
        address: account.address.toLowerCase(),
        client: new x402Client().register('eip155:*', new ExactEvmScheme(account)).setSpendControls(SPEND_CONTROLS),
        v1: (requirement) => new ExactEvmSchemeV1(account).createPaymentPayload(1, requirement),
      }
    },
  },
  {
    name: 'solana',
    network: SOLANA_NETWORK,
    newPayer: async () => {
      const signer: KeyPairSigner = await newSolanaSigner()
      await stage.fund(signer.address)
      const { solanaUrl: rpcUrl } = await stage.chains()
      return {
        address: signer.address,
        client: new x402Client()
          .register('solana:*', new ExactSvmScheme(signer, { rpcUrl }))
          .setSpendControls(SPEND_CONTROLS),
        v1: (requirement) => new ExactSvmSchemeV1(signer, { rpcUrl }).createPaymentPayload(1, requirement),
      }
    },
  },
]

for (const rail of RAILS) {
  test(`${rail.name}: @x402/fetch tops up, and the chain says the same as the answer`, async () => {
    const payer = await rail.newPayer()
    const before = await stage.received()
    const response = await wrapFetchWithPayment(fetch, payer.client)(topUpUrl(), { method: 'POST' })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      success: true,
      data: { walletAddress: payer.address, amountCredited: 5, newBalance: 5, paymentId: expect.any(String) },
    })
    expect(decodePaymentResponseHeader(response.headers.get('payment-response')!)).toMatchObject({
      success: true,
      network: rail.network,
      transaction: expect.any(String),
    })
    expect(response.headers.get('cache-control')).toBe('no-store')
    const after = await stage.received()
    expect(after[rail.name] - before[rail.name]).toBe(5_000_000n)
  })

  test(`${rail.name}: a payer chooses more than what is asked for`, async () => {
    const payer = await rail.newPayer()
    const http = new x402HTTPClient(payer.client)
    const offered = await offers()
    const chosen = offered.accepts.filter(({ network }) => network === rail.network)
    chosen[0]!.amount = '12500000'
    const payment = await http.createPaymentPayload({ ...offered, accepts: chosen } as PaymentRequired)
    const headers = http.encodePaymentSignatureHeader(payment)
    const response = await fetch(topUpUrl(), { method: 'POST', headers })
    expect(response.status).toBe(200)
    expect((await response.json()).data).toMatchObject({ amountCredited: 12.5, newBalance: 12.5 })
  })

  test(`${rail.name}: version 1 clients pay, under each header and with either version number`, async () => {
    for (const [header, x402Version] of [
      ['X-PAYMENT', 1],
      ['X-402-Payment', 2],
      ['PAYMENT-SIGNATURE', 1],
    ] as const) {
      const payer = await rail.newPayer()
      const requirement = (await offers()).accepts.find(({ network }) => network === rail.network)!
      const v1 = {
        ...requirement,
        network: rail.name === 'evm' ? 'base' : 'solana',
        maxAmountRequired: requirement.amount,
        resource: topUpUrl(),
        description: '',
        mimeType: '',
      }
      const payload = await payer.v1(v1 as unknown as PaymentRequirements)
      const response = await fetch(topUpUrl(), {
        method: 'POST',
        headers: { [header]: btoa(JSON.stringify({ ...payload, x402Version })) },
      })
      expect({ header, status: response.status, body: await response.json() }).toMatchObject({
        header,
        status: 200,
        body: { success: true, data: { walletAddress: payer.address, amountCredited: 5, newBalance: 5 } },
      })
      expect(response.headers.has('x-payment-response')).toBe(header === 'X-PAYMENT')
    }
  })

  for (const stream of [false, true]) {
    test(`${rail.name}: a plain client pays on the inference route and is served in one go${stream ? ', streamed' : ''}`, async () => {
      const payer = await rail.newPayer()
      const pay = wrapFetchWithPayment(fetch, payer.client)
      const response = await pay(`${stage.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...CHAT, stream }),
      })
      expect(response.status).toBe(200)
      const text = await response.text()
      expect(text).toContain(stream ? 'comes ' : 'The tide comes in.')
      expect(decodePaymentResponseHeader(response.headers.get('payment-response')!)).toMatchObject({
        success: true,
        network: rail.network,
      })
      // Discovery asks for ten dollars. A stream's headers go out before its charge is known.
      const charged = stream ? 0n : COST_NANO
      expect(response.headers.get('x-balance-remaining')).toBe(dollars(10n * BigInt(NANO_PER_USD) - charged))
    })
  }

  test(`${rail.name}: what was paid on a route serves once: the signed payment is public from then on`, async () => {
    const payer = await rail.newPayer()
    const http = new x402HTTPClient(payer.client)
    const refused = await chat({})
    expect(refused.status).toBe(402)
    const required = http.getPaymentRequiredResponse((name) => refused.headers.get(name), await refused.json())
    const accepts = required.accepts.filter(({ network }) => network === rail.network)
    const headers = http.encodePaymentSignatureHeader(await http.createPaymentPayload({ ...required, accepts }))
    const paid = await chat(headers)
    expect(paid.status).toBe(200)
    const again = await chat(headers)
    expect({ status: again.status, body: await again.json() }).toMatchObject({
      status: 409,
      body: { error: 'PAYMENT_ALREADY_CREDITED', message: expect.stringContaining('credit') },
    })
    // The same payment at the top-up is no error: it has the answer that it had.
    const repeated = await fetch(topUpUrl(), { method: 'POST', headers })
    expect(repeated.status).toBe(200)
    expect((await repeated.json()).data).toMatchObject({ amountCredited: 10, newBalance: 10 })
  })
}

test('twenty copies of one payment at once are one credit', async () => {
  const payer = await RAILS[0]!.newPayer()
  const http = new x402HTTPClient(payer.client)
  const headers = http.encodePaymentSignatureHeader(await http.createPaymentPayload(await offers()))
  const before = await stage.received()
  const answers = await Promise.all(
    Array.from({ length: 20 }, async () => (await fetch(topUpUrl(), { method: 'POST', headers })).status),
  )
  expect(answers.filter((status) => status === 200).length).toBeGreaterThan(0)
  expect(answers.every((status) => status === 200 || status === 409)).toBe(true)
  const settled = await fetch(topUpUrl(), { method: 'POST', headers })
  expect((await settled.json()).data).toMatchObject({ amountCredited: 5, newBalance: 5 })
  expect((await stage.received()).evm - before.evm).toBe(5_000_000n)
})

test('too little, too much and nonsense cost nothing', async () => {
  const payer = await RAILS[0]!.newPayer()
  const http = new x402HTTPClient(payer.client)
  const send = async (amount: string) => {
    const offered = await offers()
    offered.accepts[0]!.amount = amount
    const controls = { ...offered, accepts: offered.accepts.slice(0, 1) }
    payer.client.setSpendControls(false)
    const headers = http.encodePaymentSignatureHeader(await http.createPaymentPayload(controls))
    return fetch(topUpUrl(), { method: 'POST', headers })
  }
  for (const [amount, status, code] of [
    ['4999999', 400, 'AMOUNT_TOO_LOW'],
    ['10000000001', 400, 'AMOUNT_TOO_HIGH'],
    ['51000000', 400, 'PAYMENT_VERIFICATION_FAILED'],
  ] as const) {
    const response = await send(amount)
    expect({ status: response.status, body: await response.json() }).toMatchObject({ status, body: { error: code } })
  }
  const nonsense = await fetch(topUpUrl(), { method: 'POST', headers: { 'payment-signature': '!!!' } })
  expect({ status: nonsense.status, body: await nonsense.json() }).toMatchObject({
    status: 400,
    body: { error: 'INVALID_PAYMENT_FORMAT', message: expect.any(String) },
  })
})

test('an unpaid request gets the discovery document, with a new challenge each time', async () => {
  const nonces = new Set<string>()
  for (let time = 0; time < 2; time++) {
    const response = await chat({})
    expect(response.status).toBe(402)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const body = await response.json()
    expect(body).toMatchObject({
      x402Version: 2,
      accepts: [
        { scheme: 'exact', network: EVM_NETWORK, amount: '10000000' },
        { scheme: 'exact', network: SOLANA_NETWORK, amount: '10000000', extra: { feePayer: expect.any(String) } },
      ],
    })
    const info = body.extensions['sign-in-with-x'].info
    expect(info).toMatchObject({ version: '1', nonce: expect.stringMatching(/^[0-9a-f]{32}$/) })
    nonces.add(info.nonce)
  }
  expect(nonces.size).toBe(2)
})

test('a payment header where none is taken is refused, and nothing is settled', async () => {
  const before = await stage.received()
  const key = await stage.newKey()
  const response = await fetch(`${stage.baseUrl}/models/unknown`, { headers: { 'payment-signature': 'e30=' } })
  // Public routes ignore what they do not use.
  expect(response.status).toBe(404)
  const kept = await chat({ authorization: `Bearer ${key}`, 'x-payment': 'e30=' })
  expect(kept.status).toBe(200)
  expect(await stage.received()).toEqual(before)
})

test('a body, of any type, is ignored', async () => {
  for (const contentType of ['application/json', 'text/plain', 'multipart/form-data']) {
    const response = await fetch(topUpUrl(), {
      method: 'POST',
      headers: { 'content-type': contentType },
      body: '{"amount": 1',
    })
    const body = await response.json()
    expect({ contentType, status: response.status, body }).toMatchObject({
      contentType,
      status: 402,
      body: { x402Version: 2 },
    })
    expect(Object.keys(body)).toEqual(['x402Version', 'accepts'])
  }
  const wrong = await fetch(topUpUrl())
  expectError(
    { status: wrong.status, headers: wrong.headers, text: '', json: await wrong.json() },
    405,
    'METHOD_NOT_ALLOWED',
  )
})

const topUpUrl = (): string => `${stage.baseUrl}/x402/top-up`

async function offers(): Promise<PaymentRequired> {
  const response = await fetch(topUpUrl(), { method: 'POST' })
  expect(response.status).toBe(402)
  return response.json()
}

function chat(headers: Record<string, string>): Promise<Response> {
  return fetch(`${stage.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(CHAT),
  })
}

/** With the header's six decimals, cut and not rounded. */
const dollars = (nano: bigint): string =>
  `${nano / BigInt(NANO_PER_USD)}.${String(nano % BigInt(NANO_PER_USD))
    .padStart(9, '0')
    .slice(0, 6)}`
