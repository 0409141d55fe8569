import erc20Errors from '@openzeppelin/contracts/build/contracts/ERC20Permit.json' with { type: 'json' }
import ownableErrors from '@openzeppelin/contracts/build/contracts/Ownable.json' with { type: 'json' }
import { erc20Abi, erc721Abi, erc1155Abi, erc4626Abi, multicall3Abi, toEventSelector, toFunctionSelector } from 'viem'
import { entryPoint06Abi, entryPoint07Abi } from 'viem/account-abstraction'
import { describe, expect, test } from 'vitest'
import { knownError, knownEvent, knownFunction } from '@/components/rpc/response/decode/abi'

describe('the tables of selectors', () => {
  test('have the standards whole', () => {
    for (const abi of [erc20Abi, erc721Abi, erc1155Abi, erc4626Abi]) {
      for (const item of abi) {
        // viem has an older form of this one.
        if (item.name === 'tokenByIndex') continue
        if (item.type === 'function') expect(knownFunction(toFunctionSelector(item))?.abi.name).toBe(item.name)
        if (item.type !== 'event') continue
        const indexed = item.inputs.filter((input) => input.indexed).length
        expect(knownEvent(toEventSelector(item), indexed + 1)?.abi.name).toBe(item.name)
      }
    }
  })

  test('read what multicall and the entry points are called with', () => {
    const wanted = [
      ...multicall3Abi.map((item) => [item, item.name] as const),
      ...[...entryPoint06Abi, ...entryPoint07Abi]
        .filter((item) => item.type === 'function' && ['handleOps', 'getNonce', 'depositTo'].includes(item.name))
        .map((item) => [item, 'name' in item ? item.name : ''] as const),
    ]
    for (const [item, name] of wanted) {
      if (item.type !== 'function') continue
      const known = knownFunction(toFunctionSelector(item))
      expect(known?.abi.name, name).toBe(name)
      expect(known?.abi.inputs.length).toBe(item.inputs.length)
    }
  })

  test('know the errors of common contracts', () => {
    for (const { abi } of [ownableErrors, erc20Errors]) {
      for (const item of abi) {
        if (item.type !== 'error') continue
        const text = `${item.name}(${item.inputs.map(({ type }) => type).join(',')})`
        expect(knownError(toFunctionSelector(text))?.abi.name, text).toBe(item.name)
      }
    }
  })

  test('agree with selectors that everyone knows', () => {
    const functions = {
      '0xa9059cbb': 'transfer',
      '0x23b872dd': 'transferFrom',
      '0x095ea7b3': 'approve',
      '0xd505accf': 'permit',
      '0xe3ee160e': 'transferWithAuthorization',
      '0xd0e30db0': 'deposit',
      '0x2e1a7d4d': 'withdraw',
      '0xac9650d8': 'multicall',
      '0x5ae401dc': 'multicall',
      '0x82ad56cb': 'aggregate3',
      '0x38ed1739': 'swapExactTokensForTokens',
      '0x7ff36ab5': 'swapExactETHForTokens',
      '0x0902f1ac': 'getReserves',
      '0x414bf389': 'exactInputSingle',
      '0x04e45aaf': 'exactInputSingle',
      '0xc04b8d59': 'exactInput',
      '0x3593564c': 'execute',
      '0x3850c7bd': 'slot0',
      '0x6a761202': 'execTransaction',
      '0x8d80ff0a': 'multiSend',
      '0x1fad948c': 'handleOps',
      '0x765e827f': 'handleOps',
      '0xb61d27f6': 'execute',
      '0x617ba037': 'supply',
      '0x573ade81': 'repay',
      '0xfb0f3ee1': 'fulfillBasicOrder',
      '0x00000000': 'fulfillBasicOrder_efficient_6GL6yc',
      '0xe7acab24': 'fulfillAdvancedOrder',
      '0x6fd3504e': 'depositForBurn',
      '0x57ecfd28': 'receiveMessage',
      '0xfeaf968c': 'latestRoundData',
      '0x3659cfe6': 'upgradeTo',
      '0x4f1ef286': 'upgradeToAndCall',
      '0x5c60da1b': 'implementation',
      '0x1626ba7e': 'isValidSignature',
      '0x01ffc9a7': 'supportsInterface',
      '0x440a5e20': 'setL1BlockValuesEcotone',
      '0x3b3b57de': 'addr',
      '0x0178b8bf': 'resolver',
    }
    for (const [selector, name] of Object.entries(functions)) expect(knownFunction(selector)?.abi.name).toBe(name)
    const events: [topic: string, topics: number, name: string][] = [
      ['0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822', 3, 'Swap'],
      ['0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67', 3, 'Swap'],
      ['0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1', 1, 'Sync'],
      ['0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c', 2, 'Deposit'],
      ['0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65', 2, 'Withdrawal'],
      ['0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31', 3, 'ApprovalForAll'],
      ['0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62', 4, 'TransferSingle'],
      ['0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f', 4, 'UserOperationEvent'],
      ['0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b', 2, 'Upgraded'],
      ['0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0', 3, 'OwnershipTransferred'],
      ['0x2b627736bca15cd5381dcf80b0bf11fd197d01a037c52b927a881a10fb73ba61', 4, 'Supply'],
      ['0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5', 3, 'AuthorizationUsed'],
    ]
    for (const [topic, topics, name] of events) expect(knownEvent(topic, topics)?.abi.name, topic).toBe(name)
    expect(knownError('0x08c379a0')?.abi.name).toBe('Error')
    expect(knownError('0x4e487b71')?.abi.name).toBe('Panic')
    expect(knownError('0xffffffff')).toBeUndefined()
  })
})
