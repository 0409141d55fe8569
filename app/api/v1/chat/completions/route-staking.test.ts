import { createWalletClient, http, parseAbi, publicActions } from 'viem'
import { base } from 'viem/chains'
import { expect, test } from 'vitest'
import { chatStage, PRICE_OF_HELLO } from '@/app/api/v1/chat/completions/testing/stage'
import { GET as balanceRoute } from '@/app/api/v1/x402/balance/[walletAddress]/route'
import { uuid } from '@/lib/contract/ids'
import { usd } from '@/lib/contract/money'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { type TestWallet, testWallet } from '@/lib/pipeline/testing'
import { findAccount } from '@/lib/services/identity/accounts'
import { createKey } from '@/lib/services/identity/api-keys'
import { balancesOf, capture, credit, hold } from '@/lib/services/ledger/ledger'
import { chargeOfNano } from '@/lib/services/ledger/testing'
import { stakedBalance } from '@/lib/services/payments/staking'
import { testChains } from '@/sandbox/testing'

const stage = await chatStage({ settings: { WELCOME_CREDIT_USD: '0' } })
const chains = await testChains()

const TOKEN = parseAbi(['function approve(address spender, uint256 amount) returns (bool)'])
const STAKING = parseAbi(['function stake(uint256 amount)'])
const ONE = 10n ** 18n

/** Stakes on the local chain, as its owner would. */
async function stake({ account }: TestWallet, tokens: bigint): Promise<void> {
  const { evmUrl, staking } = chains.sandbox
  const [token, contract] = [staking.token as `0x${string}`, staking.contract as `0x${string}`]
  await chains.fundEvm(account.address, 0n)
  const client = createWalletClient({ account, chain: base, transport: http(evmUrl) }).extend(publicActions)
  const approval = await client.writeContract({
    address: token,
    abi: TOKEN,
    functionName: 'approve',
    args: [contract, tokens],
  })
  await client.waitForTransactionReceipt({ hash: approval })
  const staked = await client.writeContract({ address: contract, abi: STAKING, functionName: 'stake', args: [tokens] })
  await client.waitForTransactionReceipt({ hash: staked })
}

const ask = async (wallet: TestWallet) =>
  stage.call({}, { headers: { authorization: undefined, ...(await wallet.signIn()) } })

async function balance(wallet: TestWallet) {
  const url = `http://localhost:3000/api/v1/x402/balance/${wallet.address}`
  const params = Promise.resolve({ walletAddress: wallet.address })
  return (await (await balanceRoute(new Request(url, { headers: await wallet.signIn() }), { params })).json()).data
}

test('three staked tokens are three dollars of today, spent before what was paid in', async () => {
  const wallet = testWallet()
  await stake(wallet, 3n * ONE)
  expect(await stakedBalance(wallet.address)).toBe(3n * ONE)
  expect(await balance(wallet)).toMatchObject({ balanceUsd: 0, diemBalanceUsd: 3, canConsume: true })

  const accountId = (await findAccount(wallet.address))!.id
  await credit({ accountId, currency: 'USD', amount: usd('5'), kind: 'grant', idempotencyKey: uuid() })
  const response = await ask(wallet)
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ cost: { usd: 0, diem: PRICE_OF_HELLO } })
  expect(response.headers.get('x-service-balance-diem')).toBe('3.000000')
  expect(response.headers.get('x-service-balance-usd')).toBe('5.000000')
  expect(response.headers.get('x-balance-remaining')).toBe('5.000000')
  expect(await balance(wallet)).toMatchObject({ balanceUsd: 5, diemBalanceUsd: 3 - PRICE_OF_HELLO })
})

test('a key of the wallet’s account spends the same credit', async () => {
  const wallet = testWallet()
  await stake(wallet, 2n * ONE)
  await balance(wallet)
  const accountId = (await findAccount(wallet.address))!.id
  const { secret } = await createKey({ accountId, type: 'INFERENCE', description: 'agent' })
  // As another process would see it, which never met the wallet.
  resetPerProcess('allowances')
  const response = await stage.call({}, { headers: { authorization: `Bearer ${secret}` } })
  expect(await response.json()).toMatchObject({ cost: { usd: 0, diem: PRICE_OF_HELLO } })
})

test('when the daily credit is spent, the rest is paid from what was paid in', async () => {
  const wallet = testWallet()
  await stake(wallet, ONE)
  await balance(wallet)
  const accountId = (await findAccount(wallet.address))!.id
  await capture(await hold({ accountId, requestId: uuid(), amount: usd('1') }), chargeOfNano(usd('1')))
  expect((await ask(wallet)).status).toBe(402)
  await credit({ accountId, currency: 'USD', amount: usd('1'), kind: 'grant', idempotencyKey: uuid() })
  expect(await (await ask(wallet)).json()).toMatchObject({ cost: { usd: PRICE_OF_HELLO, diem: 0 } })
  expect(await balance(wallet)).toMatchObject({ diemBalanceUsd: 0 })
  expect((await balancesOf(accountId)).DIEM).toBe(0n)
})

test('with the chain gone, wallets go on with what is there', async () => {
  const wallet = testWallet()
  await stake(wallet, ONE)
  await balance(wallet)
  await chains.stop()
  resetPerProcess('allowances')
  expect(await (await ask(wallet)).json()).toMatchObject({ cost: { diem: PRICE_OF_HELLO } })
  expect((await ask(testWallet())).status).toBe(402)
})
