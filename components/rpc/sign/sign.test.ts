import fc from 'fast-check'
import { type Hex, parseEther, parseGwei, parseTransaction } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, expect, test, vi } from 'vitest'
import { sendByWallet, signerProblem, signRaw } from '@/components/rpc/sign/signer'
import { type ChainState, describeIntent, readDraft, readTerms, startTerms } from '@/components/rpc/sign/transaction'
import { WalletError, type WalletPort } from '@/lib/browser/wallet-port'
import { networkOf } from '@/lib/contract/rpc-networks'

const sepolia = networkOf('base-sepolia')!
const mainnet = networkOf('base-mainnet')!
const TO = '0x00000000219ab540356cBB839Cbe05303d7705Fa'

const chain: ChainState = {
  nonce: 7,
  balance: parseEther('1'),
  baseFee: parseGwei('2'),
  priorityFee: parseGwei('0.5'),
  gasPrice: parseGwei('2.5'),
  gas: { estimate: 50_000n },
}

test('an amount is read to the last digit', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (wei) => {
      const digits = wei.toString().padStart(19, '0')
      const value = `${digits.slice(0, -18)}.${digits.slice(-18)}`
      expect(readDraft({ to: TO, value, data: '' })).toEqual({ to: TO, value: wei, data: '0x' })
    }),
  )
})

test.each([
  [{ value: '' }, 'value'],
  [{ value: '1e3' }, 'value'],
  [{ value: '-1' }, 'value'],
  [{ value: '0.0000000000000000001' }, 'value'],
  [{ to: '0x12' }, 'to'],
  [{ to: '0x00000000219AB540356cBB839Cbe05303d7705Fa' }, 'to'],
  [{ to: '' }, 'to'],
  [{ data: '0x123' }, 'data'],
  [{ data: 'hello' }, 'data'],
  [{ data: `0x${'00'.repeat(131_073)}` }, 'data'],
])('%j is not signed: %s', (change, field) => {
  expect(readDraft({ to: TO, value: '0', data: '', ...change })).toEqual({ faults: { [field]: expect.any(String) } })
})

test('an amount may have a decimal comma, and no groups', () => {
  expect(readDraft({ to: TO, value: '0,25', data: '' })).toMatchObject({ value: parseEther('0.25') })
  expect(readDraft({ to: TO, value: '1,000', data: '' })).toEqual({ faults: { value: expect.any(String) } })
})

test('data without an address makes a contract', () => {
  const intent = readDraft({ to: '', value: '0', data: '0x6001' })
  expect(intent).toEqual({ value: 0n, data: '0x6001' })
  expect('faults' in intent || describeIntent(intent, sepolia)).toBe('Create a contract from 2 bytes on Base Sepolia.')
})

test('fees leave room for full blocks, and gas for another block than the estimate’s', () => {
  expect(startTerms(chain)).toEqual({ nonce: '7', gas: '60000', maxFee: '4.5', priorityFee: '0.5' })
  expect(startTerms({ ...chain, gas: { estimate: 21_000n } }).gas).toBe('21000')
  const { baseFee: _, ...old } = chain
  expect(startTerms(old)).toMatchObject({ maxFee: '2.5', priorityFee: '' })
  expect(startTerms({ ...chain, gas: { fault: 'execution reverted' } }).gas).toBe('')
})

const intent = { to: TO as Hex, value: parseEther('0.1'), data: '0x' as Hex }

test('a chain with a base fee gets a fee transaction, one without the old kind', () => {
  expect(readTerms(intent, startTerms(chain), sepolia)).toMatchObject({
    transaction: { type: 'eip1559', chainId: 84_532, nonce: 7, maxFeePerGas: parseGwei('4.5') },
  })
  const { baseFee: _, ...old } = chain
  expect(readTerms(intent, startTerms(old), sepolia)).toMatchObject({
    transaction: { type: 'legacy', chainId: 84_532, gasPrice: parseGwei('2.5') },
  })
})

test.each([
  [{ nonce: '' }, 'nonce'],
  [{ nonce: '1.5' }, 'nonce'],
  [{ gas: '20999' }, 'gas'],
  [{ gas: '99999999999' }, 'gas'],
  [{ maxFee: 'much' }, 'maxFee'],
  [{ priorityFee: '5' }, 'priorityFee'],
])('terms with %j are not signed: %s', (change, field) => {
  const terms = { ...startTerms(chain), ...change }
  expect(readTerms(intent, terms, sepolia)).toEqual({ faults: { [field]: expect.any(String) } })
})

const account = privateKeyToAccount(generatePrivateKey())

function inject(request: (ask: { method: string; params: unknown[] }) => Promise<unknown>): WalletPort {
  const target = new EventTarget()
  const announce = () => {
    const detail = { info: { rdns: 'test.wallet' }, provider: { request } }
    target.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  }
  target.addEventListener('eip6963:requestProvider', announce)
  vi.stubGlobal('window', target)
  const port: Partial<WalletPort> = {
    family: 'evm',
    id: 'test.wallet',
    name: 'Test',
    address: account.address,
    isTest: false,
  }
  return port as WalletPort
}

afterEach(() => vi.unstubAllGlobals())

const ready = readTerms(intent, startTerms(chain), sepolia)
const transaction = 'faults' in ready ? {} : ready.transaction

test('what a wallet signs is sent only when it is what was asked for, by the account that was asked', async () => {
  const raw = await account.signTransaction(transaction)
  expect(
    await signRaw(
      inject(async () => raw),
      transaction,
    ),
  ).toBe(raw)
  expect(
    await signRaw(
      inject(async () => ({ raw, tx: {} })),
      transaction,
    ),
  ).toBe(raw)
  const others = [
    await account.signTransaction({ ...transaction, value: parseEther('5') } as never),
    await account.signTransaction({ ...transaction, chainId: 1 } as never),
    await privateKeyToAccount(generatePrivateKey()).signTransaction(transaction),
    '0x1234',
  ]
  for (const other of others) {
    await expect(
      signRaw(
        inject(async () => other),
        transaction,
      ),
    ).rejects.toThrow(/Nothing was sent/)
  }
})

test('the old kind of transaction is checked the same way', async () => {
  const { baseFee: _, ...old } = chain
  const legacy = readTerms(intent, startTerms(old), sepolia)
  const wanted = 'faults' in legacy ? {} : legacy.transaction
  const raw = await account.signTransaction(wanted)
  expect(parseTransaction(raw).type).toBe('legacy')
  expect(
    await signRaw(
      inject(async () => raw),
      wanted,
    ),
  ).toBe(raw)
})

test('a wallet that signs only what it sends is told from one that refuses', async () => {
  const failing = (code: number) =>
    inject(async () => {
      throw Object.assign(new Error('no'), { code })
    })
  await expect(signRaw(failing(4200), transaction)).rejects.toMatchObject({ reason: 'unsupported' })
  await expect(signRaw(failing(-32601), transaction)).rejects.toMatchObject({ reason: 'unsupported' })
  await expect(signRaw(failing(4001), transaction)).rejects.toMatchObject({ reason: 'rejected' })
})

test('a wallet that sends by itself is put on the right chain first', async () => {
  const asked: { method: string; params: unknown[] }[] = []
  const port = inject(async (ask) => {
    asked.push(ask)
    return ask.method === 'eth_sendTransaction' ? `0x${'ab'.repeat(32)}` : null
  })
  expect(await sendByWallet(port, transaction)).toBe(`0x${'ab'.repeat(32)}`)
  expect(asked).toMatchObject([
    { method: 'wallet_switchEthereumChain', params: [{ chainId: '0x14a34' }] },
    {
      method: 'eth_sendTransaction',
      params: [{ from: account.address, to: TO, value: '0x16345785d8a0000', nonce: '0x7' }],
    },
  ])
})

test('a wallet that is gone says so', async () => {
  const port = inject(async () => '0x')
  await expect(signRaw({ ...port, id: 'other.wallet' }, transaction)).rejects.toThrow(WalletError)
})

test('no real wallet signs for a chain where it would be real money', () => {
  const real = { family: 'evm', isTest: false, name: 'Real' } as WalletPort
  const test = { family: 'evm', isTest: true, name: 'Test wallet' } as WalletPort
  expect(signerProblem(real, mainnet, false)).toMatch(/real network/)
  expect(signerProblem(real, mainnet, true)).toMatch(/real network/)
  expect(signerProblem(real, sepolia, false)).toBeUndefined()
  expect(signerProblem(test, mainnet, false)).toMatch(/test networks/)
  expect(signerProblem(test, mainnet, true)).toBeUndefined()
  expect(signerProblem({ ...real, family: 'solana' }, sepolia, false)).toMatch(/doesn’t support this network/)
})
