import { createKeyPairSignerFromBytes, generateKeyPairSigner } from '@solana/kit'
import { x402Client } from '@x402/core/client'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme as EvmClient } from '@x402/evm/exact/client'
import { ExactEvmScheme as EvmFacilitator } from '@x402/evm/exact/facilitator'
import { toFacilitatorSvmSigner } from '@x402/svm'
import { ExactSvmScheme as SvmClient } from '@x402/svm/exact/client'
import { ExactSvmScheme as SvmFacilitator } from '@x402/svm/exact/facilitator'
import { createWalletClient, http, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { expect, test } from 'vitest'
import { EVM_NETWORK, SOLANA_NETWORK, USDC_EVM, USDC_SOLANA } from '@/lib/contract/chains'
import { testChains } from '@/sandbox/testing'

const chains = await testChains()
const { sandbox } = chains

const house = createWalletClient({
  account: privateKeyToAccount(sandbox.facilitator.evm as `0x${string}`),
  chain: base,
  transport: http(sandbox.evmUrl),
}).extend(publicActions)
const solanaHouse = await createKeyPairSignerFromBytes(Buffer.from(sandbox.facilitator.solana, 'base64'))
// viem's client has all that the library calls; their types differ in generics that it does not use.
const evmHouse = { ...house, address: house.account.address } as unknown as Parameters<typeof toFacilitatorEvmSigner>[0]
const facilitator = new x402Facilitator()
  .register(EVM_NETWORK, new EvmFacilitator(toFacilitatorEvmSigner(evmHouse)))
  .register(
    SOLANA_NETWORK,
    new SvmFacilitator(toFacilitatorSvmSigner(solanaHouse, { defaultRpcUrl: sandbox.solanaUrl })),
  )

const offer = (changes: Partial<PaymentRequirements>): PaymentRequirements => ({
  scheme: 'exact',
  network: EVM_NETWORK,
  asset: USDC_EVM,
  amount: '5000000',
  payTo: sandbox.payTo.evm,
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
  ...changes,
})
const solanaOffer = (changes: Partial<PaymentRequirements> = {}) =>
  offer({
    network: SOLANA_NETWORK,
    asset: USDC_SOLANA,
    payTo: sandbox.payTo.solana,
    extra: { feePayer: solanaHouse.address },
    ...changes,
  })

async function evmPayer() {
  const account = privateKeyToAccount(generatePrivateKey())
  await chains.fundEvm(account.address, 6_000_000n)
  return client(new EvmClient(account))
}

async function solanaPayer() {
  const signer = await generateKeyPairSigner()
  await chains.fundSolana(signer.address, 6_000_000n)
  return client(new SvmClient(signer, { rpcUrl: sandbox.solanaUrl }))
}

const client = (scheme: EvmClient | SvmClient) =>
  new x402Client()
    .register('eip155:*', scheme)
    .register('solana:*', scheme)
    .setSpendControls({ maxAmountPerPayment: '$100' })

const pay = (payer: x402Client, requirements: PaymentRequirements): Promise<PaymentPayload> =>
  payer.createPaymentPayload({
    x402Version: 2,
    accepts: [requirements],
    resource: { url: 'http://localhost:3000/api/v1/x402/top-up', description: '', mimeType: 'application/json' },
  })

test('the official EVM client pays through the official facilitator, and once', async () => {
  const payment = await pay(await evmPayer(), offer({}))
  expect(await facilitator.verify(payment, offer({}))).toMatchObject({ isValid: true })
  expect(await facilitator.settle(payment, offer({}))).toMatchObject({ success: true })
  expect(await facilitator.verify(payment, offer({}))).toMatchObject({
    isValid: false,
    invalidReason: 'invalid_exact_evm_nonce_already_used',
  })
})

test('an EVM wallet with too little is told so', async () => {
  const much = offer({ amount: '7000000' })
  expect(await facilitator.verify(await pay(await evmPayer(), much), much)).toMatchObject({
    isValid: false,
    invalidReason: 'invalid_exact_evm_insufficient_balance',
  })
})

test('the official Solana client pays through the official facilitator, and once', async () => {
  const payment = await pay(await solanaPayer(), solanaOffer())
  expect(await facilitator.verify(payment, solanaOffer())).toMatchObject({ isValid: true })
  expect(await facilitator.settle(payment, solanaOffer())).toMatchObject({ success: true })
  const again = await facilitator.verify(payment, solanaOffer())
  expect(again).toMatchObject({ isValid: false, invalidMessage: expect.stringContaining('AlreadyProcessed') })
})

test('a Solana payment that waited too long is expired', async () => {
  const payment = await pay(await solanaPayer(), solanaOffer())
  chains.skipSlots(151)
  expect(await facilitator.verify(payment, solanaOffer())).toMatchObject({
    isValid: false,
    invalidMessage: expect.stringContaining('BlockhashNotFound'),
  })
})

test('a Solana wallet with too little fails in the token program', async () => {
  const much = solanaOffer({ amount: '7000000' })
  expect(await facilitator.verify(await pay(await solanaPayer(), much), much)).toMatchObject({
    isValid: false,
    invalidMessage: expect.stringContaining('Custom'),
  })
})
