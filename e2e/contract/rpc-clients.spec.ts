import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Contract, ContractFactory, FetchRequest, JsonRpcProvider, Wallet } from 'ethers'
import { createPublicClient, createWalletClient, type Hex, http, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { sepolia } from 'viem/chains'
import { HttpProvider, Web3 } from 'web3'
import { expect, test } from '@/e2e/contract/shared-stage'
import type { WalletStage } from '@/e2e/testing/wallet-stage'

/** Clients that others wrote, unmodified but for a header, through the proxy to a real local chain. */

const SIGNATURES = [
  'function mint(address to, uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
  'function symbol() view returns (string)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
] as const
const ABI = parseAbi(SIGNATURES)
const HOLDER = '0x00000000000000000000000000000000000000B0'
const AMOUNT = 12_345n

let stage: WalletStage
let url: string
let bytecode: Hex

test.describe.configure({ timeout: 60_000 })
test.beforeAll(async ({ wallets }) => {
  stage = wallets
  url = `${stage.baseUrl}/crypto/rpc/ethereum-sepolia`
  const contracts = JSON.parse(await readFile(path.resolve('sandbox', 'contracts.json'), 'utf8')) as Record<string, Hex>
  bytecode = contracts.StakingToken!
})

/** A new account of the service, and a new one of the chain that can pay fees there. */
async function newCaller() {
  const authorization = `Bearer ${await stage.newKey()}`
  const privateKey = generatePrivateKey()
  const { evmUrl } = await stage.chains()
  const body = { jsonrpc: '2.0', id: 1, method: 'sandbox_ether', params: [privateKeyToAccount(privateKey).address] }
  const funded = await fetch(`${evmUrl}/chain/${sepolia.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(await funded.json()).toMatchObject({ result: null })
  return { authorization, privateKey }
}

test('viem deploys a contract, calls it, over Multicall3 too, and reads its logs', async () => {
  const { authorization, privateKey } = await newCaller()
  const transport = http(url, { fetchOptions: { headers: { authorization } } })
  const reader = createPublicClient({ chain: sepolia, transport, pollingInterval: 100 })
  const account = privateKeyToAccount(privateKey)
  const writer = createWalletClient({ account, chain: sepolia, transport })
  expect(await reader.getChainId()).toBe(sepolia.id)
  const deployed = await reader.waitForTransactionReceipt({ hash: await writer.deployContract({ abi: ABI, bytecode }) })
  const address = deployed.contractAddress!
  const hash = await writer.writeContract({ address, abi: ABI, functionName: 'mint', args: [HOLDER, AMOUNT] })
  const { blockNumber } = await reader.waitForTransactionReceipt({ hash })
  const held = await reader.readContract({ address, abi: ABI, functionName: 'balanceOf', args: [HOLDER] })
  expect(held).toBe(AMOUNT)
  const token = { address, abi: ABI }
  const together = await reader.multicall({
    contracts: [
      { ...token, functionName: 'symbol' },
      { ...token, functionName: 'balanceOf', args: [HOLDER] },
    ],
    multicallAddress: '0xca11bde05977b3631167028862be2a173976ca11',
  })
  expect(together.map(({ result }) => result)).toEqual(['STAKE', AMOUNT])
  const logs = await reader.getContractEvents({ address, abi: ABI, eventName: 'Transfer', fromBlock: blockNumber })
  expect(logs.map(({ args }) => args)).toMatchObject([{ to: HOLDER, value: AMOUNT }])
})

test('viem sends calls together as one batch', async () => {
  const { authorization } = await newCaller()
  const fetchOptions = { headers: { authorization } }
  const batching = createPublicClient({ chain: sepolia, transport: http(url, { batch: true, fetchOptions }) })
  const [block, gasPrice, balance] = await Promise.all([
    batching.getBlockNumber({ cacheTime: 0 }),
    batching.getGasPrice(),
    batching.getBalance({ address: HOLDER }),
  ])
  expect([block >= 0n, gasPrice > 0n, balance]).toEqual([true, true, 0n])
})

test('ethers deploys a contract, calls it and reads its logs', async () => {
  const { authorization, privateKey } = await newCaller()
  const request = new FetchRequest(url)
  request.setHeader('authorization', authorization)
  // It repeats answers of the last quarter of a second by itself, and this chain makes a block in less.
  const provider = new JsonRpcProvider(request, undefined, { pollingInterval: 100, cacheTimeout: -1 })
  try {
    const wallet = new Wallet(privateKey, provider)
    const deployed = await new ContractFactory([...SIGNATURES], bytecode, wallet).deploy()
    await deployed.waitForDeployment()
    const contract = new Contract(await deployed.getAddress(), [...SIGNATURES], wallet)
    const minted = await contract.getFunction('mint')(HOLDER, AMOUNT)
    await minted.wait()
    expect(await contract.getFunction('balanceOf')(HOLDER)).toBe(AMOUNT)
    const logs = await contract.queryFilter('Transfer', minted.blockNumber ?? 0)
    expect(logs.map((log) => 'args' in log && log.args.value)).toEqual([AMOUNT])
  } finally {
    provider.destroy()
  }
})

test('web3.js deploys a contract, calls it and reads its logs', async () => {
  const { authorization, privateKey } = await newCaller()
  const provider = new HttpProvider(url, { providerOptions: { headers: { authorization } } })
  const web3 = new Web3(provider)
  web3.eth.transactionPollingInterval = 100
  const account = web3.eth.accounts.privateKeyToAccount(privateKey)
  web3.eth.accounts.wallet.add(account)
  const from = account.address
  const deployed = await new web3.eth.Contract(ABI).deploy({ data: bytecode }).send({ from })
  await deployed.methods.mint!(HOLDER, AMOUNT).send({ from })
  expect(await deployed.methods.balanceOf!(HOLDER).call()).toBe(AMOUNT)
  const logs = await deployed.getPastEvents('Transfer', { fromBlock: 0 })
  expect(logs.map((log) => typeof log !== 'string' && log.returnValues.value)).toEqual([AMOUNT])
})

test('an error of the chain reaches the client as it is', async () => {
  const { authorization } = await newCaller()
  const client = createPublicClient({
    chain: sepolia,
    transport: http(url, { fetchOptions: { headers: { authorization } } }),
  })
  const poor = privateKeyToAccount(generatePrivateKey())
  const raw = await poor.signTransaction({
    chainId: sepolia.id,
    gas: 21_000n,
    gasPrice: 10n ** 10n,
    to: HOLDER,
    nonce: 0,
  })
  await expect(client.sendRawTransaction({ serializedTransaction: raw })).rejects.toThrow(/insufficient funds/i)
})

test('every EVM network has a local chain with its own id, and Starknet says that it has none', async () => {
  const authorization = `Bearer ${await stage.newKey()}`
  const { NETWORKS } = await import('@/lib/contract/rpc-networks')
  for (const { slug, family, chainId } of NETWORKS) {
    const response = await fetch(`${stage.baseUrl}/crypto/rpc/${slug}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: family === 'evm' ? 'eth_chainId' : 'starknet_chainId' }),
    })
    const answer = await response.json()
    if (family === 'evm') expect([slug, answer.result]).toEqual([slug, chainId])
    else expect([response.status, answer.code]).toEqual([500, 'RPC_NETWORK_NOT_CONFIGURED'])
  }
})
