import { expect, test } from 'vitest'
import { USDC_EVM } from '@/lib/contract/chains'
import { withEnvironment } from '@/lib/services/identity/testing'
import { testChains } from '@/sandbox/testing'
import { runAdmin } from '@/server/admin/run'

const chains = await testChains()
const EVM = '0x90f8bf6a479f320ead074411a4b0e7944ea8c9c1'
const SOLANA = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'
const fund = (...args: string[]) => runAdmin(['sandbox', 'fund', ...args])

test('gives test money on the address’s chain and names its node in the last line', async () => {
  const { exitCode, output, json } = await fund(EVM, '2.50')
  expect(exitCode).toBe(0)
  expect(output.split('\n').at(-1)).toBe(chains.sandbox.evmUrl)
  expect(json).toEqual({ address: EVM, family: 'evm', fundedUsd: '2.50', nodeUrl: chains.sandbox.evmUrl })
  const call = { to: USDC_EVM, data: `0x70a08231${EVM.slice(2).padStart(64, '0')}` }
  expect(BigInt(await chains.evm<string>('eth_call', [call, 'latest']))).toBe(2_500_000n)
  expect((await fund(SOLANA)).json).toMatchObject({ family: 'solana', fundedUsd: '25.00' })
})

test.each([
  [[], 2, 'ADDRESS'],
  [['nobody'], 1, 'no address'],
  [[EVM, '-1'], 2, '-1'],
  [[EVM, '0.0000001'], 2, 'six decimals'],
])('a wrong command line is explained: %j', async (args, exitCode, words) => {
  const failed = await fund(...(args as string[]))
  expect(failed.exitCode).toBe(exitCode)
  expect(failed.output).toContain(words)
})

test('where money is real, or the chains do not run, it fails and says why', async () => {
  await withEnvironment({ SANDBOX: 'off' }, async () => {
    expect(await fund(EVM)).toMatchObject({ exitCode: 1, output: expect.stringContaining('real') })
  })
  await chains.stop()
  expect(await fund(EVM)).toMatchObject({ exitCode: 1, output: expect.stringContaining('chains are not running') })
})
