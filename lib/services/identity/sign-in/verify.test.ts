import { generateKeyPairSigner, getBase58Encoder } from '@solana/kit'
import { createSIWxPayload, encodeSIWxHeader } from '@x402/extensions/sign-in-with-x'
import { Wallet } from 'ethers'
import { SiweMessage } from 'siwe'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import { beforeEach, describe, expect, test } from 'vitest'
import { EVM_NETWORK, SOLANA_NETWORK } from '@/lib/contract/chains'
import { hex } from '@/lib/contract/ids'
import { usd } from '@/lib/contract/money'
import { signInText } from '@/lib/contract/sign-in-format'
import { installDatabase } from '@/lib/db/client'
import { DatabaseUnavailable } from '@/lib/db/outage'
import { testDatabase } from '@/lib/db/testing'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { challenge } from '@/lib/services/identity/sign-in/challenge'
import {
  refusal,
  sent,
  signedHeaders,
  signedPayload,
  signInFields,
  type TestWallet,
  testWallet,
  verify,
} from '@/lib/services/identity/sign-in/testing'
import { verifySignIn } from '@/lib/services/identity/sign-in/verify'
import { testContext, withEnvironment } from '@/lib/services/identity/testing'
import { balancesOf } from '@/lib/services/ledger/ledger'

const database = await testDatabase()
const FAMILIES = ['evm', 'solana'] as const

beforeEach(() => resetPerProcess('failure-budget'))

const MINUTE = 60_000
const at = (ms: number) => new Date(Date.now() + ms).toISOString()

describe('a wallet signs in', () => {
  test.each(FAMILIES)('%s: the account is made with the first proof and found with the next', async (family) => {
    const wallet = testWallet(family)
    const first = await verify(await signedHeaders(wallet))
    const address = family === 'evm' ? wallet.address.toLowerCase() : wallet.address
    expect(first).toEqual({
      accountId: expect.any(String),
      address,
      family,
      status: 'active',
      isPro: false,
      rateMultiplier: 1,
      isNew: true,
    })
    expect(await verify(await signedHeaders(wallet))).toEqual({ ...first, isNew: false })
    expect(await database.query('select kind, ref from account where id = $1', [first.accountId])).toEqual([
      { kind: 'wallet', ref: address },
    ])
  })

  test('the first sign-in brings the welcome credit, the next ones none', async () => {
    await withEnvironment({ WELCOME_CREDIT_USD: '0.75' }, async () => {
      const wallet = testWallet()
      const { accountId } = await verify(await signedHeaders(wallet))
      await verify(await signedHeaders(wallet))
      expect((await balancesOf(accountId)).USD).toBe(usd('0.75'))
    })
    await withEnvironment({ WELCOME_CREDIT_USD: '0' }, async () => {
      const { accountId } = await verify(await signedHeaders(testWallet()))
      expect((await balancesOf(accountId)).USD).toBe(0n)
    })
  })

  test('under the legacy header name too', async () => {
    const { 'SIGN-IN-WITH-X': header } = await signedHeaders(testWallet())
    await verify({ 'X-Sign-In-With-X': header! })
  })

  test('the canonical header counts where both are sent', async () => {
    const [one, two] = [testWallet(), testWallet()]
    const headers = {
      'X-Sign-In-With-X': (await signedHeaders(one))['SIGN-IN-WITH-X']!,
      'SIGN-IN-WITH-X': (await signedHeaders(two))['SIGN-IN-WITH-X']!,
    }
    expect((await verify(headers)).address).toBe(two.address.toLowerCase())
  })

  test.each([
    ['base64url', (header: string) => header.replaceAll('+', '-').replaceAll('/', '_')],
    ['without padding', (header: string) => header.replace(/=+$/, '')],
    ['base64url without padding', (header: string) => Buffer.from(header, 'base64').toString('base64url')],
  ])('with a header in %s', async (_, respell) => {
    for (let n = 0; n < 3; n++) {
      // Of every length modulo 3, and with bytes that the two alphabets write differently.
      const headers = await signedHeaders(testWallet(), { statement: `ÿþ${'?'.repeat(n)}` })
      await verify({ 'SIGN-IN-WITH-X': respell(headers['SIGN-IN-WITH-X']!) })
    }
  })

  test.each([
    ['a number', 8453],
    ['a string', '8453'],
    ['CAIP-2', EVM_NETWORK],
    ['nothing', undefined],
    ['null', null],
  ])('with a chain id as %s', async (_, chainId) => {
    await sent({ ...(await signedPayload(testWallet())), chainId })
  })

  test.each(['eip191', 'eip1271', undefined])('with the type %s', async (type) => {
    await sent({ ...(await signedPayload(testWallet())), type })
  })

  test.each([
    ['in lower case', (address: string) => address.toLowerCase()],
    ['with its checksum', (address: string) => address],
    ['in upper case', (address: string) => `0x${address.slice(2).toUpperCase()}`],
  ])('with an EVM address %s, whatever the text has', async (_, respell) => {
    const wallet = testWallet()
    const text = signInText(signInFields(wallet))
    await sent({ ...(await signedPayload(wallet, text)), address: respell(wallet.address) })
  })

  test('with a recovery bit in either spelling', async () => {
    const seen = new Set<string>()
    for (let n = 0; n < 40 && seen.size < 2; n++) {
      const { signature, ...payload } = await signedPayload(testWallet())
      const bit = signature.slice(-2) === '1b' ? '00' : '01'
      seen.add(bit)
      await sent({ ...payload, signature: signature.slice(0, -2) + bit })
    }
    expect([...seen].sort()).toEqual(['00', '01'])
  })

  test('with a timestamp within 30 seconds of its issue', async () => {
    for (const apartMs of [-29_000, 0, 29_000]) {
      const wallet = testWallet()
      const issuedAt = at(-MINUTE)
      const payload = await signedPayload(wallet, signInText(signInFields(wallet, { issuedAt })))
      await sent({ ...payload, timestamp: Date.parse(issuedAt) + apartMs })
    }
  })

  test.each(FAMILIES)('%s: with one and with two empty lines where there is no statement', async (family) => {
    const wallet = testWallet(family)
    for (const lines of ['\n\n', '\n\n\n']) {
      const text = signInText(signInFields(wallet, { statement: undefined })).replace(/\n\n+URI/, `${lines}URI`)
      await sent(await signedPayload(wallet, text))
    }
  })

  test.each(FAMILIES)('%s: with every optional line', async (family) => {
    await verify(
      await signedHeaders(testWallet(family), {
        expirationTime: at(10 * MINUTE),
        notBefore: at(-1_000),
        requestId: 'request 1',
        resources: ['https://localhost/a', 'ipfs://b'],
      }),
    )
  })

  test('a Solana chain id may carry its namespace', async () => {
    const wallet = testWallet('solana')
    const text = signInText(signInFields(wallet, { chainId: SOLANA_NETWORK }))
    await sent(await signedPayload(wallet, text))
  })

  test('a Solana signature may be base64', async () => {
    const wallet = testWallet('solana')
    for (let n = 0; n < 20; n++) {
      const payload = await signedPayload(wallet)
      const bytes = Buffer.from(getBase58Encoder().encode(payload.signature))
      await sent({ ...payload, signature: bytes.toString(n % 2 ? 'base64' : 'base64url') })
    }
  })

  test('Solana is known by the type or by the chain alone', async () => {
    const { type, chainId, ...payload } = await signedPayload(testWallet('solana'))
    await sent({ ...payload, type })
    const { type: _, ...other } = await signedPayload(testWallet('solana'))
    await sent(other)
  })

  test.each([
    ['with a port', 'localhost:4000'],
    ['without a port', 'localhost'],
    ['with scheme, port and path', 'http://LocalHost:3000/sign-in'],
    ['127.0.0.1', '127.0.0.1:3000'],
    ['[::1]', '[::1]:3000'],
  ])('in the sandbox with the domain %s', async (_, domain) => {
    await verify(await signedHeaders(testWallet(), { domain }))
  })

  test('on a real host with that name and those of SIGN_IN_DOMAINS, but not with localhost', async () => {
    const environment = {
      SERVICE_ORIGIN: 'https://api.lagoon.example',
      SIGN_IN_DOMAINS: 'Lagoon.example, app.lagoon.example:8443',
      SANDBOX: 'off',
    }
    await withEnvironment(environment, async () => {
      for (const domain of [
        'api.lagoon.example',
        'API.lagoon.example:443',
        'lagoon.example',
        'app.lagoon.example:8443',
      ]) {
        await verify(await signedHeaders(testWallet(), { domain }))
      }
      for (const domain of [
        'localhost',
        'api.lagoon.example:8080',
        'app.lagoon.example',
        'evil.lagoon.example',
        'lagoon.example.evil',
        'lagoon.example@evil.example',
      ]) {
        expect(await refusal(verify(await signedHeaders(testWallet(), { domain })))).toBe('DOMAIN_MISMATCH')
      }
    })
  })
})

describe('the structured form', () => {
  const structured = async (wallet: TestWallet, changes: object = {}) => {
    const { family: _, chainId: __, ...fields } = signInFields(wallet, changes)
    const signature = await wallet.signMessage(signInText(signInFields(wallet, fields)))
    const type = wallet.family === 'evm' ? 'eip191' : 'ed25519'
    return { ...fields, version: '1', chainId: wallet.family === 'evm' ? EVM_NETWORK : SOLANA_NETWORK, type, signature }
  }

  test.each(FAMILIES)('%s: counts like the message form', async (family) => {
    await sent(await structured(testWallet(family)))
    await sent(await structured(testWallet(family), { statement: undefined }))
    await sent(
      await structured(testWallet(family), {
        expirationTime: at(MINUTE),
        notBefore: at(-MINUTE),
        requestId: '1',
        resources: ['https://a.example', 'https://b.example'],
      }),
    )
  })

  test('the text may have the address with its checksum, as libraries write it, or as it is sent', async () => {
    const wallet = testWallet()
    const lower = { ...wallet, address: wallet.address.toLowerCase() }
    for (const inText of [wallet, lower]) {
      const payload = await structured(inText)
      for (const { address } of [wallet, lower]) {
        const nonce = hex(16)
        const { signature } = await structured(inText, { ...payload, address: inText.address, nonce })
        const attempt = sent({ ...payload, address, nonce, signature })
        // Who sends the checksum has it in the text.
        if (inText === lower && address === wallet.address) expect(await refusal(attempt)).toBe('INVALID_SIGNATURE')
        else expect((await attempt).address).toBe(lower.address)
      }
    }
  })

  test('the message wins where both are sent', async () => {
    const wallet = testWallet()
    const both = { ...(await structured(wallet, { domain: 'evil.example' })), ...(await signedPayload(wallet)) }
    expect((await sent(both)).address).toBe(wallet.address.toLowerCase())
  })

  test.each(['domain', 'uri', 'nonce', 'issuedAt', 'chainId', 'address', 'signature'])(
    'without %s it is no proof',
    async (field) => {
      expect(await refusal(sent({ ...(await structured(testWallet())), [field]: undefined }))).toBe('INVALID_PAYLOAD')
    },
  )

  test.each(['domain', 'statement', 'uri', 'nonce', 'issuedAt', 'expirationTime', 'requestId'])(
    'a line break in %s cannot write a line',
    async (field) => {
      for (const lineBreak of ['\n', '\r\n', '\u2028', '\u0085']) {
        const payload = { ...(await structured(testWallet())), [field]: `x${lineBreak}URI: http://localhost` }
        expect(await refusal(sent(payload))).toBe('INVALID_PAYLOAD')
      }
    },
  )
})

describe('clients that others wrote', () => {
  test('viem: createSiweMessage', async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const message = createSiweMessage({
      address: account.address,
      chainId: 8453,
      domain: 'localhost:3000',
      nonce: 'abcdef1234567890',
      uri: 'http://localhost:3000',
      version: '1',
      expirationTime: new Date(Date.now() + MINUTE),
    })
    await sent({ address: account.address, message, signature: await account.signMessage({ message }), chainId: 8453 })
  })

  test.each([undefined, 'I sign in.'])('siwe and ethers, with the statement %s', async (statement) => {
    const wallet = Wallet.createRandom()
    const siwe = new SiweMessage({
      domain: 'localhost:3000',
      address: wallet.address,
      ...(statement !== undefined && { statement }),
      uri: 'http://localhost:3000',
      version: '1',
      chainId: 8453,
    })
    const message = siwe.prepareMessage()
    const signature = await wallet.signMessage(message)
    await sent({ address: wallet.address, message, signature, chainId: 8453, timestamp: Date.now() })
  })

  /** What a client of the protocol makes of the challenge in a 402, with the helpers of its own library. */
  async function headerFor(type: 'eip191' | 'ed25519', signer: Parameters<typeof createSIWxPayload>[1], uri: string) {
    const { info, supportedChains } = challenge(uri)
    const chain = supportedChains.find((supported) => supported.type === type)!
    return encodeSIWxHeader(await createSIWxPayload({ ...info, ...chain, type }, signer, uri))
  }

  const SERVICES = [
    [{}, 'http://localhost:3000/api/v1/chat/completions'],
    [{ SERVICE_ORIGIN: 'https://api.example', SANDBOX: 'off' }, 'https://api.example/api/v1/embeddings'],
  ] as const

  test.each(SERVICES)('the x402 client of an EVM wallet signs in with %o', async (environment, uri) => {
    await withEnvironment({ ...environment }, async () => {
      const account = privateKeyToAccount(generatePrivateKey())
      const headers = { 'SIGN-IN-WITH-X': await headerFor('eip191', account, uri) }
      const { address } = await verifySignIn(testContext({ headers }), { mayRepeat: false })
      expect(address).toBe(account.address.toLowerCase())
    })
  })

  test.each(SERVICES)('the x402 client of a Solana wallet signs in with %o', async (environment, uri) => {
    await withEnvironment({ ...environment }, async () => {
      const signer = await generateKeyPairSigner()
      // The library wants one address among its signatures' keys; the signer's are many. Both are there at run time.
      const messageSigner = signer as unknown as Parameters<typeof createSIWxPayload>[1]
      const headers = { 'SIGN-IN-WITH-X': await headerFor('ed25519', messageSigner, uri) }
      const { address } = await verifySignIn(testContext({ headers }), { mayRepeat: false })
      expect(address).toBe(signer.address)
    })
  })

  test('a statement of ours is one that siwe can read', async () => {
    await withEnvironment({ SERVICE_NAME: 'L’été "à" 100%' }, async () => {
      const { info } = challenge('http://localhost:3000/api/v1/models')
      const text = signInText({ ...info, family: 'evm', address: testWallet().address, chainId: '8453' })
      expect(new SiweMessage(text).statement).toBe(info.statement)
    })
  })
})

test('while the database is away, sign-ins are put off', async () => {
  const away = { ...database, query: () => Promise.reject(new DatabaseUnavailable('connection refused')) }
  installDatabase(away)
  try {
    await expect(verify(await signedHeaders(testWallet()))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: 2,
    })
  } finally {
    installDatabase(database)
  }
})
