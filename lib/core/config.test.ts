import { describe, expect, test } from 'vitest'
import { ConfigError, parseConfig } from '@/lib/core/config'

const EVM = '0x1111111111111111111111111111111111111111'
const SOLANA = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'
const REAL = {
  X402_PAY_TO_EVM: EVM,
  X402_FACILITATOR_URL: 'https://facilitator.example',
  WALLET_RPC_URL_EVM: 'https://node.example',
  DATABASE_URL: 'postgres://localhost/lagoon',
}

describe('without any variable', () => {
  test('the money is test money, and only the built-in wallet is offered', () => {
    expect(parseConfig({})).toMatchObject({
      isSandbox: true,
      sandboxWallets: 'test',
      paysOnRoute: true,
      payTo: { evm: undefined, solana: undefined },
      facilitator: undefined,
      staking: undefined,
    })
  })
})

describe('a sandbox that others can reach', () => {
  test.each<Record<string, string>>([
    { SANDBOX: 'on', SERVICE_ORIGIN: 'https://ai.example.com', TRUST_PROXY: '1' },
    { SANDBOX: 'on', SERVICE_ORIGIN: 'http://box.lan:3000', HOST: '0.0.0.0' },
  ])('starts when its operator says so: %j', (variables) => {
    expect(parseConfig(variables).isSandbox).toBe(true)
  })

  test('is not what loopback addresses mean', () => {
    expect(parseConfig({ SERVICE_ORIGIN: 'http://[::1]:3000', HOST: '::1' }).isSandbox).toBe(true)
  })
})

describe('with a receiver', () => {
  test('the money is real', () => {
    expect(parseConfig(REAL)).toMatchObject({
      isSandbox: false,
      welcomeCredit: 0n,
      payTo: { evm: EVM },
      facilitator: { url: 'https://facilitator.example' },
      walletRpcUrls: { evm: ['https://node.example'], solana: [] },
    })
  })

  test('several nodes are kept in their order', () => {
    const { walletRpcUrls } = parseConfig({ ...REAL, WALLET_RPC_URL_EVM: 'https://a.example, https://b.example' })
    expect(walletRpcUrls.evm).toEqual(['https://a.example', 'https://b.example'])
  })

  test('real payments on the embedded database need the word of the operator', () => {
    const embedded = { ...REAL, DATABASE_URL: '', PAYMENTS_ON_EMBEDDED_DATABASE: 'on' }
    expect(parseConfig(embedded).databaseUrl).toBeUndefined()
  })
})

describe('nodes of blockchain networks', () => {
  test('are kept in their order, by network; a credit costs what the contract says', () => {
    const { rpcUrls, rpcCreditPrice } = parseConfig({
      RPC_URLS_BASE_MAINNET: 'https://a.example/key, https://b.example',
      RPC_URLS_STARKNET_SEPOLIA: '',
    })
    expect([...rpcUrls]).toEqual([['base-mainnet', ['https://a.example/key', 'https://b.example']]])
    expect(rpcCreditPrice).toBe(700_000n)
    expect(parseConfig({ RPC_CREDIT_USD: '0.000000625' }).rpcCreditPrice).toBe(625_000n)
  })
})

describe('sites that forbid automated access', () => {
  const blocked = (list?: string) => [...parseConfig({ SCRAPE_BLOCKLIST: list }).scrapeBlocklist]

  test('are the usual ones, or those of the operator, as addresses have them', () => {
    expect(blocked()).toContain('reddit.com')
    expect(blocked('WALLED.example., näh.example')).toEqual(['walled.example', 'xn--nh-via.example'])
    expect(blocked('none')).toEqual([])
  })
})

test.each<[names: string, variables: Record<string, string>]>([
  ['X402_FACILITATOR_URL', { ...REAL, X402_FACILITATOR_URL: '' }],
  ['RPC_URLS_BASE_MAINET', { RPC_URLS_BASE_MAINET: 'https://a.example' }],
  ['RPC_URLS_BASE_MAINNET', { RPC_URLS_BASE_MAINNET: 'wss://a.example' }],
  ['RPC_CREDIT_USD', { RPC_CREDIT_USD: '-1' }],
  ['RPC_CREDIT_USD', { RPC_CREDIT_USD: 'free' }],
  ['X402_FACILITATOR_URL', { ...REAL, X402_FACILITATOR_URL: 'ftp://facilitator.example' }],
  ['WALLET_RPC_URL_EVM', { ...REAL, WALLET_RPC_URL_EVM: '' }],
  ['WALLET_RPC_URL_EVM', { ...REAL, WALLET_RPC_URL_EVM: ' , ' }],
  ['WALLET_RPC_URL_SOLANA', { ...REAL, X402_PAY_TO_SOLANA: SOLANA }],
  ['DATABASE_URL', { ...REAL, DATABASE_URL: '' }],
  ['X402_PAY_TO_EVM', { ...REAL, X402_PAY_TO_EVM: '0x123' }],
  ['X402_PAY_TO_SOLANA', { ...REAL, X402_PAY_TO_SOLANA: EVM }],
  ['SANDBOX', { ...REAL, SANDBOX: 'on' }],
  ['STAKING_CONTRACT', { STAKING_TOKEN: EVM }],
  ['STAKING_CONTRACT', { STAKING_CONTRACT: EVM }],
  ['WALLET_RPC_URL_EVM', { SANDBOX: 'off', STAKING_TOKEN: EVM, STAKING_CONTRACT: EVM }],
  ['SANDBOX=on', { HOST: '0.0.0.0' }],
  ['SANDBOX=on', { SANDBOX: 'auto', HOST: '::' }],
  ['X402_PAY_TO_EVM', { SERVICE_ORIGIN: 'https://ai.example.com' }],
  ['SANDBOX=off', { TRUST_PROXY: '1' }],
  ['SERVICE_ORIGIN', { SANDBOX: 'on', HOST: '0.0.0.0' }],
  ['SEARCH_GOOGLE_URL', { SEARCH_GOOGLE_URL: 'google' }],
  ['SCRAPE_BLOCKLIST', { SCRAPE_BLOCKLIST: 'https://walled.example/page' }],
  ['SCRAPE_BLOCKLIST', { SCRAPE_BLOCKLIST: 'walled.example, two words' }],
  ['SANDBOX_WALLETS', { SANDBOX_WALLETS: 'mine' }],
])('a wrong or half-given configuration names %s and stops the start', (name, variables) => {
  expect(() => parseConfig(variables)).toThrow(ConfigError)
  expect(() => parseConfig(variables)).toThrow(name)
})
