import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ConfigError, configWarnings, parseConfig } from '@/lib/kernel/config'

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

test.each([
  [{}, undefined, 100],
  [{ DATABASE_POOL_SIZE: '40', CONNECTIONS_PER_ADDRESS: '500' }, 40, 500],
  [{ DATABASE_POOL_SIZE: '', CONNECTIONS_PER_ADDRESS: '0' }, undefined, 0],
])('connections to the database, and of one address: %j', (variables, databasePoolSize, connectionsPerAddress) => {
  expect(parseConfig(variables)).toMatchObject({ databasePoolSize, connectionsPerAddress })
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

describe("with a key of Coinbase's developer platform", () => {
  const { X402_FACILITATOR_URL: _, ...real } = REAL
  const pair = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const secret = Buffer.concat([pair.d, pair.x].map((half) => Buffer.from(half ?? '', 'base64url'))).toString('base64')
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const sec1 = ec.export({ type: 'sec1', format: 'pem' }).toString()

  test.each([
    ['base64', secret, 'EdDSA'],
    ['PEM', sec1, 'ES256'],
    ['PEM on one line', sec1.replaceAll('\n', '\\n'), 'ES256'],
    ['PKCS #8 PEM', ec.export({ type: 'pkcs8', format: 'pem' }).toString(), 'ES256'],
  ])('as %s its facilitator settles', (_form, CDP_API_KEY_SECRET, alg) => {
    const { facilitator } = parseConfig({ ...real, CDP_API_KEY_ID: 'key', CDP_API_KEY_SECRET })
    expect(facilitator).toMatchObject({
      url: 'https://api.cdp.coinbase.com/platform/v2/x402',
      cdpKey: { id: 'key', alg },
    })
  })

  test('in files it is read from there, and another address may be given', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-config-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const [CDP_API_KEY_ID_FILE, CDP_API_KEY_SECRET_FILE] = [path.join(folder, 'id'), path.join(folder, 'secret')]
    await Promise.all([writeFile(CDP_API_KEY_ID_FILE, 'key\n'), writeFile(CDP_API_KEY_SECRET_FILE, `${secret}\n`)])
    const files = { CDP_API_KEY_ID_FILE, CDP_API_KEY_SECRET_FILE }
    expect(parseConfig({ ...REAL, ...files }).facilitator).toMatchObject({
      url: REAL.X402_FACILITATOR_URL,
      cdpKey: { id: 'key' },
    })
    const refused = (changes: object) => () => parseConfig({ ...real, ...files, ...changes })
    expect(refused({ CDP_API_KEY_ID: 'other' })).toThrow(/^CDP_API_KEY_ID: set it or CDP_API_KEY_ID_FILE, not both/)
    expect(refused({ CDP_API_KEY_SECRET_FILE: '' })).toThrow(/^CDP_API_KEY_SECRET: .* belong together/)
    expect(refused({ CDP_API_KEY_ID_FILE: '' })).toThrow(/^CDP_API_KEY_ID: .* belong together/)
    expect(refused({ CDP_API_KEY_SECRET_FILE: path.join(folder, 'none') })).toThrow(
      /^CDP_API_KEY_SECRET_FILE: .* cannot be read/,
    )
    await writeFile(CDP_API_KEY_SECRET_FILE, '\n')
    expect(refused({})).toThrow(/^CDP_API_KEY_SECRET_FILE: .* is empty/)
  })

  test.each([
    ['too short', 'c2VjcmV0'],
    ['of two different keys', Buffer.alloc(64, 7).toString('base64')],
    [
      'on another curve',
      generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
    ],
    ['cut off', sec1.slice(0, 80)],
  ])('whose secret is %s the start stops, and does not print it', (_what, CDP_API_KEY_SECRET) => {
    const wrong = { ...real, CDP_API_KEY_ID: 'key', CDP_API_KEY_SECRET }
    expect(() => parseConfig(wrong)).toThrow(/^CDP_API_KEY_SECRET: must be the secret of an API key/)
    expect(() => parseConfig(wrong)).not.toThrow(CDP_API_KEY_SECRET)
  })

  test('a token beside it stops the start', () => {
    const both = { ...real, CDP_API_KEY_ID: 'key', CDP_API_KEY_SECRET: secret, X402_FACILITATOR_TOKEN: 'token' }
    expect(() => parseConfig(both)).toThrow(/^X402_FACILITATOR_TOKEN/)
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
  ['DATABASE_POOL_SIZE', { DATABASE_POOL_SIZE: '0' }],
  ['DATABASE_POOL_SIZE', { DATABASE_POOL_SIZE: '1001' }],
  ['DATABASE_POOL_SIZE', { DATABASE_POOL_SIZE: 'ten' }],
  ['CONNECTIONS_PER_ADDRESS', { CONNECTIONS_PER_ADDRESS: '-1' }],
  ['CONNECTIONS_PER_ADDRESS', { CONNECTIONS_PER_ADDRESS: '2.5' }],
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
  ['X402_PAY_TO_EVM', { ...REAL, X402_PAY_TO_EVM: `0x${'0'.repeat(40)}` }],
  ['X402_PAY_TO_EVM', { ...REAL, X402_PAY_TO_EVM: '0x000000000000000000000000000000000000dEaD' }],
  ['X402_PAY_TO_SOLANA', { ...REAL, X402_PAY_TO_SOLANA: '1nc1nerator11111111111111111111111111111111' }],
  ['X402_PAY_TO_SOLANA', { ...REAL, X402_PAY_TO_SOLANA: '1'.repeat(32) }],
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

describe('what is said at the start', () => {
  const warned = (variables: Record<string, string>) => configWarnings(variables, parseConfig(variables))

  test('a misspelled variable, with the one that was meant', () => {
    expect(
      warned({ DATABSE_URL: 'postgres://localhost/lagoon', PATH: '/bin', HOSTNAME: 'box', LOG_LEVELS: '' }),
    ).toEqual(['DATABSE_URL is unknown. Did you mean DATABASE_URL?'])
    expect(warned({ X402_PAY_TO_EMV: EVM })[0]).toContain('X402_PAY_TO_EVM')
  })

  test('free JSON-RPC calls, and a server where nobody can pay', () => {
    expect(warned({ RPC_CREDIT_USD: '0' })).toEqual(['JSON-RPC calls are free: RPC_CREDIT_USD=0.'])
    expect(warned({ SANDBOX: 'off' })[0]).toContain('Payments are disabled')
    expect(warned(REAL)).toEqual([])
  })
})
