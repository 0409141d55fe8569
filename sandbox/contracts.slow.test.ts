import { readFile } from 'node:fs/promises'
import {
  createWalletClient,
  getContract,
  type Hex,
  http,
  maxUint256,
  parseAbi,
  parseSignature,
  publicActions,
  zeroHash,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { expect, test } from 'vitest'
import { USDC_EVM } from '@/lib/contract/chains'
import { compileContracts, contractsFile } from '@/sandbox/compile'
import { testChains } from '@/sandbox/testing'

const chains = await testChains()
const { sandbox } = chains

const USDC = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address) view returns (uint256)',
  'function authorizationState(address, bytes32) view returns (bool)',
  'function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, bytes)',
  'function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, uint8, bytes32, bytes32)',
  'function cancelAuthorization(address, bytes32, uint8, bytes32, bytes32)',
])
const STAKING = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function approve(address, uint256) returns (bool)',
  'function stake(uint256)',
  'function unstake(uint256)',
  'function withdraw()',
])
const DOMAIN = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC_EVM } as const
const TRANSFER = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const
const CANCEL = {
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

async function wallet() {
  const account = privateKeyToAccount(generatePrivateKey())
  await chains.fundEvm(account.address, 10_000_000n)
  return createWalletClient({
    account,
    chain: base,
    transport: http(sandbox.evmUrl),
    pollingInterval: 20,
  }).extend(publicActions)
}
type Wallet = Awaited<ReturnType<typeof wallet>>

const to = sandbox.payTo.evm as Hex
const house = await wallet()
const usdc = getContract({ address: USDC_EVM, abi: USDC, client: house })
const contractOf = (address: string, client: Wallet) => getContract({ address: address as Hex, abi: STAKING, client })

async function authorization(
  { account }: Wallet,
  changes: Partial<Record<'value' | 'validAfter' | 'validBefore', bigint>> = {},
) {
  const message = {
    from: account.address,
    to,
    value: 5_000_000n,
    validAfter: 0n,
    validBefore: maxUint256,
    nonce: generatePrivateKey(),
    ...changes,
  }
  const signature = await account.signTypedData({
    domain: DOMAIN,
    types: TRANSFER,
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const { from, value, validAfter, validBefore, nonce } = message
  return { nonce, signature, args: [from, to, value, validAfter, validBefore, nonce] as const }
}

const parts = (signature: Hex) => {
  const { r, s, yParity } = parseSignature(signature)
  return [27 + yParity, r, s] as const
}
const send = async (hash: Hex) => (await house.waitForTransactionReceipt({ hash })).status

test('the compiled contracts are those of the sources', async () => {
  expect(await compileContracts(process.cwd())).toEqual(
    JSON.parse(await readFile(contractsFile(process.cwd()), 'utf8')),
  )
}, 60_000)

test('test USDC has the signing domain of the real one', async () => {
  expect(await usdc.read.DOMAIN_SEPARATOR()).toBe('0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f')
  const { name, symbol, version, decimals } = usdc.read
  expect(await Promise.all([name(), symbol(), version(), decimals()])).toEqual(['USD Coin', 'USDC', '2', 6])
})

test('a signed authorization moves money once, in either form of its signature', async () => {
  const payer = await wallet()
  const packed = await authorization(payer, { value: 3_000_000n })
  expect(await send(await usdc.write.transferWithAuthorization([...packed.args, packed.signature]))).toBe('success')
  const split = await authorization(payer, { value: 2_000_000n })
  expect(await send(await usdc.write.transferWithAuthorization([...split.args, ...parts(split.signature)]))).toBe(
    'success',
  )
  expect(await usdc.read.balanceOf([payer.account.address])).toBe(5_000_000n)

  const used = 'FiatTokenV2: authorization is used or canceled'
  await expect(usdc.simulate.transferWithAuthorization([...packed.args, packed.signature])).rejects.toThrow(used)
  await expect(usdc.simulate.transferWithAuthorization([...split.args, ...parts(split.signature)])).rejects.toThrow(
    used,
  )
})

test('an authorization counts within its time only', async () => {
  const payer = await wallet()
  const now = BigInt(Math.floor(Date.now() / 1_000))
  const late = await authorization(payer, { validBefore: now - 60n })
  await expect(usdc.simulate.transferWithAuthorization([...late.args, late.signature])).rejects.toThrow(
    'FiatTokenV2: authorization is expired',
  )
  const early = await authorization(payer, { validAfter: now + 3_600n })
  await expect(usdc.simulate.transferWithAuthorization([...early.args, early.signature])).rejects.toThrow(
    'FiatTokenV2: authorization is not yet valid',
  )
})

test('an authorization that was cancelled moves nothing', async () => {
  const payer = await wallet()
  const { args, nonce, signature } = await authorization(payer)
  const cancellation = await payer.account.signTypedData({
    domain: DOMAIN,
    types: CANCEL,
    primaryType: 'CancelAuthorization',
    message: { authorizer: payer.account.address, nonce },
  })
  await send(await usdc.write.cancelAuthorization([payer.account.address, nonce, ...parts(cancellation)]))
  expect(await usdc.read.authorizationState([payer.account.address, nonce])).toBe(true)
  await expect(usdc.simulate.transferWithAuthorization([...args, signature])).rejects.toThrow('used or canceled')
})

test('what another signed, and what is not there, cannot be spent', async () => {
  const payer = await wallet()
  const { args } = await authorization(payer)
  const { signature } = await authorization(await wallet())
  await expect(usdc.simulate.transferWithAuthorization([...args, signature])).rejects.toThrow(
    'FiatTokenV2: invalid signature',
  )
  const much = await authorization(payer, { value: 10_000_001n })
  await expect(usdc.simulate.transferWithAuthorization([...much.args, much.signature])).rejects.toThrow(
    'ERC20: transfer amount exceeds balance',
  )
})

test('staked tokens count for one wallet a day', async () => {
  const first = await wallet()
  const token = contractOf(sandbox.staking.token, first)
  const staking = contractOf(sandbox.staking.contract, first)
  expect(await Promise.all([staking.read.name(), staking.read.symbol(), staking.read.decimals()])).toEqual([
    'Staked Sandbox Stake',
    'sSTAKE',
    18,
  ])
  const amount = 20n * 10n ** 18n
  await send(await token.write.approve([sandbox.staking.contract as Hex, amount]))
  await send(await staking.write.stake([amount]))
  expect(await staking.read.balanceOf([first.account.address])).toBe(amount)
  expect(await staking.read.totalSupply()).toBe(amount)

  await send(await staking.write.unstake([amount]))
  expect(await staking.read.balanceOf([first.account.address])).toBe(0n)
  await expect(staking.simulate.withdraw()).rejects.toThrow('still cooling down')
  await chains.evm('evm_increaseTime', [86_401])
  await chains.evm('evm_mine')
  await send(await staking.write.withdraw())
  expect(await token.read.balanceOf([first.account.address])).toBe(25n * 10n ** 18n)
  await expect(staking.simulate.unstake([1n])).rejects.toThrow('more than is staked')
})

test('multicall answers for several calls at once, failed ones among them', async () => {
  const [separator, broken] = await house.multicall({
    multicallAddress: '0xcA11bde05977b3631167028862bE2a173976CA11',
    contracts: [
      { address: USDC_EVM, abi: USDC, functionName: 'DOMAIN_SEPARATOR' },
      {
        address: USDC_EVM,
        abi: USDC,
        functionName: 'cancelAuthorization',
        args: [to, zeroHash, 27, zeroHash, zeroHash],
      },
    ],
  })
  expect([separator?.status, broken?.status]).toEqual(['success', 'failure'])
})
