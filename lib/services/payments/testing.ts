import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createKeyPairSignerFromBytes, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit'
import { x402Client } from '@x402/core/client'
import { encodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentRequired, SettleResponse } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { ExactEvmSchemeV1 } from '@x402/evm/v1'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { ExactSvmSchemeV1 } from '@x402/svm/v1'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll } from 'vitest'
import type { Family } from '@/lib/contract/chains'
import { type Rail, rails } from '@/lib/services/chains/rails'
import type { Sandbox } from '@/lib/services/chains/sandbox'
import { localClient } from '@/lib/services/payments/facilitator-local'
import type { TestChains } from '@/sandbox/testing'

export type EvmWallet = { family: 'evm'; address: string; account: PrivateKeyAccount }
export type SolanaWallet = { family: 'solana'; address: string; signer: KeyPairSigner }
export type TestWallet = EvmWallet | SolanaWallet

export async function testWallet(chains: TestChains, family: 'evm', units?: bigint): Promise<EvmWallet>
export async function testWallet(chains: TestChains, family: 'solana', units?: bigint): Promise<SolanaWallet>
export async function testWallet(chains: TestChains, family: Family, units?: bigint): Promise<TestWallet>
export async function testWallet(chains: TestChains, family: Family, units = 1_000_000_000n): Promise<TestWallet> {
  if (family === 'evm') {
    const account = privateKeyToAccount(generatePrivateKey())
    await chains.fundEvm(account.address, units)
    return { family, address: account.address.toLowerCase(), account }
  }
  const signer = await generateKeyPairSigner()
  await chains.fundSolana(signer.address, units)
  return { family, address: signer.address, signer }
}

export const railOf = (family: Family): Rail => rails().find((rail) => rail.family === family) as Rail

export async function termsOf(
  sandbox: Sandbox,
  family: Family,
  changes: Partial<{ amount: bigint; payTo: string }> = {},
) {
  const rail = railOf(family)
  const feePayer = await createKeyPairSignerFromBytes(new Uint8Array(Buffer.from(sandbox.facilitator.solana, 'base64')))
  return {
    scheme: 'exact',
    network: rail.network,
    asset: rail.asset,
    amount: String(changes.amount ?? 5_000_000n),
    payTo: changes.payTo ?? rail.payTo,
    maxTimeoutSeconds: 300,
    extra: { ...rail.extra, ...(family === 'solana' && { feePayer: feePayer.address as string }) },
  }
}

type Terms = Awaited<ReturnType<typeof termsOf>>

export async function payV2(sandbox: Sandbox, wallet: TestWallet, terms: Terms) {
  const client = new x402Client().setSpendControls({ maxAmountPerPayment: '$20000' })
  if (wallet.family === 'evm') client.register('eip155:*', new ExactEvmScheme(wallet.account))
  else client.register('solana:*', new ExactSvmScheme(wallet.signer, { rpcUrl: sandbox.solanaUrl }))
  const required = {
    x402Version: 2,
    resource: { url: 'http://localhost:3000/api/v1/x402/top-up', description: '', mimeType: 'application/json' },
    accepts: [terms],
  }
  return client.createPaymentPayload(required as PaymentRequired)
}

export async function payV1(sandbox: Sandbox, wallet: TestWallet, terms: Terms, version: 1 | 2 = 1) {
  const { amount, network: _, ...rest } = terms
  const old = {
    ...rest,
    maxAmountRequired: amount,
    network: wallet.family === 'evm' ? 'base' : 'solana',
    resource: '',
    description: '',
    mimeType: '',
  }
  type Requirements = Parameters<ExactEvmSchemeV1['createPaymentPayload']>[1]
  const scheme =
    wallet.family === 'evm'
      ? new ExactEvmSchemeV1(wallet.account)
      : new ExactSvmSchemeV1(wallet.signer, { rpcUrl: sandbox.solanaUrl })
  return scheme.createPaymentPayload(version, old as unknown as Requirements)
}

export const toHeader = (payment: object): string => encodePaymentSignatureHeader(payment as never)
export const toBase64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export type Mood =
  | 'lies-settled'
  | 'hangs'
  | 'hangs-after-settling'
  | 'fails'
  | 'talks-html'
  | 'resets-after-settling'
  | 'says-already-used'
  | 'says-refused'
  | 'says-refused-after-settling'
  | 'confirms-too-late'
  | 'says-pending'
  | 'verifies-nothing'
  | 'is-down'
  | undefined

export async function testFacilitator(
  chains: TestChains,
  isAuthorized?: (request: IncomingMessage) => Promise<boolean>,
) {
  const service = await localClient(chains.sandbox)
  let mood: Mood
  const asked = { verify: 0, settle: 0, supported: 0 }
  const late: (() => Promise<SettleResponse>)[] = []

  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const path = request.url?.split('/').at(-1) as keyof typeof asked
    if (isAuthorized && !(await isAuthorized(request))) {
      return json(response, { errorType: 'unauthorized', errorMessage: 'The token is not valid.' }, 401)
    }
    asked[path]++
    if (mood === 'is-down') return void request.socket.destroy()
    const { paymentPayload, paymentRequirements } = text ? JSON.parse(text) : {}
    if (path === 'supported') return json(response, await service.getSupported())
    if (path === 'verify') {
      if (mood === 'verifies-nothing') return json(response, { error: 'busy' }, 503)
      return json(response, await service.verify(paymentPayload, paymentRequirements))
    }
    const settle = () => service.settle(paymentPayload, paymentRequirements)
    const base = { transaction: '', network: paymentRequirements.network, payer: '' }
    switch (mood) {
      case 'lies-settled':
        return json(response, { ...base, success: true, transaction: `0x${'ab'.repeat(32)}` })
      case 'hangs':
        return
      case 'hangs-after-settling':
        return void (await settle())
      case 'fails':
        return json(response, { error: 'internal' }, 500)
      case 'talks-html':
        response.setHeader('Content-Type', 'text/html')
        return void response.end('<html>maintenance</html>')
      case 'resets-after-settling':
        await settle()
        return void request.socket.destroy()
      case 'says-already-used':
        return json(response, { ...base, success: false, errorReason: 'invalid_exact_evm_nonce_already_used' })
      case 'says-refused':
        return json(response, { ...base, success: false, errorReason: 'insufficient_funds' })
      case 'says-refused-after-settling':
        await settle()
        return json(response, { ...base, success: false, errorReason: 'insufficient_funds' })
      // Broadcast only when the test says so: `late` sends what was kept.
      case 'confirms-too-late':
        late.push(settle)
        return json(response, { ...base, success: false, errorReason: 'insufficient_confirmations' })
      case 'says-pending':
        return json(response, {
          ...base,
          success: false,
          errorReason: 'settlement_pending',
          transaction: `0x${'cd'.repeat(32)}`,
        })
      default:
        return json(response, await settle())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    settleLate: () => Promise.all(late.splice(0).map((settle) => settle())),
    set: (next: Mood) => {
      mood = next
      late.length = 0
    },
  }
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify(value))
}
