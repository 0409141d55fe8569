import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { type SignInFields, signInText } from '@/lib/contract/sign-in-format'
import { testDatabase } from '@/lib/db/testing'
import { resetPerProcess } from '@/lib/kernel/per-process'
import {
  encodeHeader,
  refusalOf,
  signedHeaders,
  signedPayload,
  signInFields,
  type TestWallet,
  testWallet,
} from '@/lib/services/identity/sign-in/testing'

const database = await testDatabase()

beforeEach(() => resetPerProcess('failure-budget'))

const MINUTE = 60_000
const at = (ms: number) => new Date(Date.now() + ms).toISOString()
const evm = testWallet('evm')
const solana = testWallet('solana')

describe('headers that cannot be read', () => {
  test.each([
    ['nothing', ''],
    ['text', 'hello world!'],
    ['base64 of a length that there is not', 'abcde'],
    ['two headers joined', `${encodeHeader({})}, ${encodeHeader({})}`],
    ['base64 of no JSON', btoa('{"address":')],
    ['base64 of no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('base64')],
    ['a list', btoa('[]')],
    ['null', btoa('null')],
    ['a number', btoa('5')],
    ['more than 16 KiB', encodeHeader({ message: 'x'.repeat(12_300) })],
  ])('%s', async (_, header) => {
    expect(await refusalOf(header)).toBe('PARSE_ERROR')
  })
})

describe('payloads', () => {
  test.each([
    ['an empty object', () => ({}), 'INVALID_PAYLOAD'],
    ['no address', (payload) => ({ ...payload, address: undefined }), 'INVALID_PAYLOAD'],
    ['no signature', (payload) => ({ ...payload, signature: undefined }), 'INVALID_PAYLOAD'],
    ['an empty signature', (payload) => ({ ...payload, signature: '' }), 'INVALID_PAYLOAD'],
    ['an address that is a number', (payload) => ({ ...payload, address: 5 }), 'INVALID_PAYLOAD'],
    ['a message that is a list', (payload) => ({ ...payload, message: ['a'] }), 'INVALID_PAYLOAD'],
    ['half a character', (payload) => ({ ...payload, message: `\ud800${payload.message}` }), 'INVALID_PAYLOAD'],
    ['a type that is a number', (payload) => ({ ...payload, type: 5 }), 'INVALID_PAYLOAD'],
    ['a timestamp that is text', (payload) => ({ ...payload, timestamp: String(Date.now()) }), 'INVALID_PAYLOAD'],
    ['a chain id that is an object', (payload) => ({ ...payload, chainId: {} }), 'INVALID_PAYLOAD'],
    ['a chain id of letters', (payload) => ({ ...payload, chainId: 'base' }), 'INVALID_CHAIN_ID'],
    ['a chain id below zero', (payload) => ({ ...payload, chainId: -8453 }), 'INVALID_CHAIN_ID'],
    ['a broken chain id', (payload) => ({ ...payload, chainId: 8453.5 }), 'INVALID_CHAIN_ID'],
    ['a chain id in hex', (payload) => ({ ...payload, chainId: '0x2105' }), 'INVALID_CHAIN_ID'],
    ['mainnet', (payload) => ({ ...payload, chainId: 1 }), 'UNSUPPORTED_CHAIN'],
    ['mainnet in CAIP-2', (payload) => ({ ...payload, chainId: 'eip155:1' }), 'UNSUPPORTED_CHAIN'],
    ['the test net', (payload) => ({ ...payload, chainId: 'eip155:84532' }), 'UNSUPPORTED_CHAIN'],
    ['a Solana type on the EVM chain', (payload) => ({ ...payload, type: 'ed25519' }), 'UNSUPPORTED_CHAIN'],
    ['a timestamp a minute away', (payload) => ({ ...payload, timestamp: Date.now() + MINUTE }), 'TIMESTAMP_MISMATCH'],
    ['the address of another', (payload) => ({ ...payload, address: testWallet().address }), 'ADDRESS_MISMATCH'],
    ['a signature of another', (payload) => ({ ...payload, signature: `0x${'11'.repeat(65)}` }), 'INVALID_SIGNATURE'],
    ['a signature of zeros', (payload) => ({ ...payload, signature: `0x${'00'.repeat(65)}` }), 'INVALID_SIGNATURE'],
    [
      'a signature cut short',
      (payload) => ({ ...payload, signature: payload.signature.slice(0, -2) }),
      'INVALID_SIGNATURE',
    ],
    ['a compact signature', (payload) => ({ ...payload, signature: compact(payload.signature) }), 'INVALID_SIGNATURE'],
    [
      'a way to deploy the wallet, without a node to ask',
      (payload) => ({ ...payload, signature: payload.signature + '6492'.repeat(16) }),
      'INVALID_SIGNATURE',
    ],
    ['the other type, and no chain', (payload) => ({ ...payload, type: 'ed25519', chainId: null }), 'INVALID_MESSAGE'],
    ['a chain with a line feed', (payload) => ({ ...payload, chainId: '8453\n' }), 'INVALID_CHAIN_ID'],
    ['a chain with a space', (payload) => ({ ...payload, chainId: ' 8453' }), 'INVALID_CHAIN_ID'],
    ['a chain in other digits', (payload) => ({ ...payload, chainId: '８４５３' }), 'INVALID_CHAIN_ID'],
    ['a chain with a zero before it', (payload) => ({ ...payload, chainId: '08453' }), 'INVALID_CHAIN_ID'],
    ['a chain of another namespace', (payload) => ({ ...payload, chainId: 'eip1555:8453' }), 'INVALID_CHAIN_ID'],
    ['a chain that is yes', (payload) => ({ ...payload, chainId: true }), 'INVALID_PAYLOAD'],
    ['a signature too long', (payload) => ({ ...payload, signature: `${payload.signature}00` }), 'INVALID_SIGNATURE'],
    [
      'a signature without 0x',
      (payload) => ({ ...payload, signature: payload.signature.slice(2) }),
      'INVALID_SIGNATURE',
    ],
    [
      'a signature of half a byte',
      (payload) => ({ ...payload, signature: `${payload.signature}0` }),
      'INVALID_SIGNATURE',
    ],
    [
      'an impossible recovery bit',
      (payload) => ({ ...payload, signature: `${payload.signature.slice(0, -2)}1d` }),
      'INVALID_SIGNATURE',
    ],
    [
      'the other recovery bit',
      (payload) => ({ ...payload, signature: otherParity(payload.signature) }),
      'INVALID_SIGNATURE',
    ],
    ['the malleable twin', (payload) => ({ ...payload, signature: twin(payload.signature) }), 'INVALID_SIGNATURE'],
    [
      'an altered text',
      (payload) => ({ ...payload, message: payload.message.replace('Sign in', 'Sign  in') }),
      'INVALID_SIGNATURE',
    ],
    ['a space at the end', (payload) => ({ ...payload, message: `${payload.message} ` }), 'INVALID_MESSAGE'],
  ] as [string, (payload: Awaited<ReturnType<typeof signedPayload>>) => object, string][])(
    '%s',
    async (_, change, code) => {
      expect(await refusalOf(encodeHeader(change(await signedPayload(evm))))).toBe(code)
    },
  )

  const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

  const otherParity = (signature: string) => signature.slice(0, -2) + (signature.endsWith('1b') ? '1c' : '1b')

  /** In 64 bytes, the recovery bit in the highest of s (EIP-2098). */
  function compact(signature: string): string {
    const high = signature.endsWith('1c') ? 2n ** 255n : 0n
    const s = BigInt(`0x${signature.slice(66, 130)}`) + high
    return signature.slice(0, 66) + s.toString(16).padStart(64, '0')
  }

  /** The second of the two signatures that every signature implies: valid mathematically, refused by EIP-2. */
  function twin(signature: string): string {
    const s = ORDER - BigInt(`0x${signature.slice(66, 130)}`)
    return otherParity(signature.slice(0, 66) + s.toString(16).padStart(64, '0') + signature.slice(130))
  }
})

describe('texts that the wallet signed, but not for this', () => {
  const fields = (changes: Partial<SignInFields>) => (wallet: TestWallet) => signInText(signInFields(wallet, changes))
  /** Times are made when the test runs. */
  const timed = (changes: () => Partial<SignInFields>) => (wallet: TestWallet) => fields(changes())(wallet)
  const edit = (from: string | RegExp, to: string) => (wallet: TestWallet) => {
    const text = signInText(signInFields(wallet, { expirationTime: at(MINUTE), notBefore: at(-MINUTE) }))
    const edited = text.replace(from, to)
    expect(edited).not.toBe(text)
    return edited
  }

  test.each([
    ['another domain', fields({ domain: 'evil.example' }), 'DOMAIN_MISMATCH'],
    ['a domain that begins like ours', fields({ domain: 'localhost.evil.example' }), 'DOMAIN_MISMATCH'],
    ['a domain that ends like ours', fields({ domain: 'evil-localhost' }), 'DOMAIN_MISMATCH'],
    ['our host as a user of another', fields({ domain: 'localhost:3000@evil.example' }), 'DOMAIN_MISMATCH'],
    ['our host as a path of another', fields({ domain: 'evil.example/localhost' }), 'DOMAIN_MISMATCH'],
    ['a backslash', fields({ domain: 'localhost\\@evil.example' }), 'DOMAIN_MISMATCH'],
    ['two domains', fields({ domain: 'evil.example localhost' }), 'DOMAIN_MISMATCH'],
    ['no domain', fields({ domain: '' }), 'DOMAIN_MISMATCH'],
    ['a letter that looks like ours', fields({ domain: 'lоcalhost' }), 'DOMAIN_MISMATCH'],
    ['six minutes ago', timed(() => ({ issuedAt: at(-6 * MINUTE) })), 'EXPIRED'],
    [
      'five minutes and a second ago, whatever its end',
      timed(() => ({ issuedAt: at(-301_000), expirationTime: at(MINUTE) })),
      'EXPIRED',
    ],
    ['31 seconds from now', timed(() => ({ issuedAt: at(31_000) })), 'FUTURE_TIMESTAMP'],
    ['past its end', timed(() => ({ expirationTime: at(-1) })), 'EXPIRED'],
    ['before its time', timed(() => ({ notBefore: at(MINUTE) })), 'NOT_BEFORE'],
    ['a short nonce', fields({ nonce: 'abcdefg' }), 'MISSING_NONCE'],
    ['a nonce with a space', fields({ nonce: 'abcdefgh i' }), 'MISSING_NONCE'],
    ['a nonce of 129 letters', fields({ nonce: 'a'.repeat(129) }), 'MISSING_NONCE'],
    ['no nonce', edit(/Nonce: .*\n/, ''), 'MISSING_NONCE'],
    ['another chain', fields({ chainId: '1' }), 'CHAIN_MISMATCH'],
    ['our chain in CAIP-2', fields({ chainId: 'eip155:8453' }), 'CHAIN_MISMATCH'],
    ['our chain with a zero before it', fields({ chainId: '08453' }), 'CHAIN_MISMATCH'],
    ['no chain', edit(/Chain ID: .*\n/, ''), 'UNSUPPORTED_CHAIN'],
    [
      'the zero address',
      (wallet) => signInText(signInFields({ ...wallet, address: `0x${'0'.repeat(40)}` })),
      'ADDRESS_MISMATCH',
    ],
    ['version 2', edit('Version: 1', 'Version: 2'), 'INVALID_MESSAGE'],
    ['no version', edit('Version: 1\n', ''), 'INVALID_MESSAGE'],
    ['no URI', edit(/URI: .*\n/, ''), 'INVALID_MESSAGE'],
    ['a URI that is none', fields({ uri: 'not a uri' }), 'INVALID_MESSAGE'],
    ['no time', edit(/Issued At: .*\n/, ''), 'INVALID_MESSAGE'],
    ['a time in words', fields({ issuedAt: 'July 18, 2026 10:00' }), 'INVALID_MESSAGE'],
    ['a time in seconds', fields({ issuedAt: String(Math.floor(Date.now() / 1000)) }), 'INVALID_MESSAGE'],
    ['a time without a zone', timed(() => ({ issuedAt: at(0).replace('Z', '') })), 'INVALID_MESSAGE'],
    ['month 13', fields({ issuedAt: '2026-13-01T00:00:00Z' }), 'INVALID_MESSAGE'],
    ['an end in words', fields({ expirationTime: 'tomorrow' }), 'INVALID_MESSAGE'],
    ['the header line of the other family', edit('Ethereum', 'Solana'), 'INVALID_MESSAGE'],
    ['no header line', edit(/^.*\n/, ''), 'INVALID_MESSAGE'],
    [
      'a second header line',
      edit(/^/, 'evil.example wants you to sign in with your Ethereum account:\n'),
      'INVALID_MESSAGE',
    ],
    ['CRLF', edit(/\n/g, '\r\n'), 'INVALID_MESSAGE'],
    ['a carriage return in the statement', fields({ statement: 'Sign\rin' }), 'INVALID_MESSAGE'],
    ['a statement of two lines', fields({ statement: 'Sign\nin' }), 'INVALID_MESSAGE'],
    [
      'a statement that hides lines',
      fields({ statement: 'x\n\nURI: http://localhost\nVersion: 1' }),
      'INVALID_MESSAGE',
    ],
    ['a line separator', fields({ statement: 'Sign\u2028in' }), 'INVALID_MESSAGE'],
    ['a zero byte', fields({ statement: 'Sign\0in' }), 'INVALID_MESSAGE'],
    ['three empty lines', edit(/\n\nSign.*\n\n/, '\n\n\n\n'), 'INVALID_MESSAGE'],
    ['a line feed at the end', edit(/$/, '\n'), 'INVALID_MESSAGE'],
    ['a line at the end', edit(/$/, '\nURI: http://evil.example'), 'INVALID_MESSAGE'],
    ['two nonces', edit(/Nonce: .*\n/, 'Nonce: aaaaaaaa\nNonce: bbbbbbbb\n'), 'INVALID_MESSAGE'],
    ['two times', edit(/Issued At: (.*)\n/, 'Issued At: $1\nIssued At: $1\n'), 'INVALID_MESSAGE'],
    ['lines in another order', edit(/(Expiration Time: .*)\n(Not Before: .*)/, '$2\n$1'), 'INVALID_MESSAGE'],
    ['an unknown line', edit(/$/, '\nAmount: 5'), 'INVALID_MESSAGE'],
    ['resources that are no list', edit(/$/, '\nResources:\nhttps://a.example'), 'INVALID_MESSAGE'],
    ['a line after the resources', edit(/$/, '\nResources:\n- https://a.example\nRequest ID: 1'), 'INVALID_MESSAGE'],
    ['a name in lower case', edit('Nonce:', 'nonce:'), 'INVALID_MESSAGE'],
    ['nothing', () => ' ', 'INVALID_MESSAGE'],
  ] as [string, (wallet: TestWallet) => string, string][])('%s', async (_, text, code) => {
    expect(await refusalOf(encodeHeader(await signedPayload(evm, text(evm))))).toBe(code)
  })

  test('without a chainId beside it, another chain is one that is not supported', async () => {
    const text = signInText(signInFields(evm, { chainId: '1' }))
    expect(await refusalOf(encodeHeader({ ...(await signedPayload(evm, text)), chainId: undefined }))).toBe(
      'UNSUPPORTED_CHAIN',
    )
  })

  test('the zero address and what is no address', async () => {
    for (const address of [`0x${'0'.repeat(40)}`, '0x12', evm.address.slice(2), solana.address, 'vitalik.eth']) {
      const wallet = { ...evm, address }
      expect(await refusalOf(encodeHeader(await signedPayload(wallet)))).toBe('INVALID_WALLET')
    }
  })
})

describe('mutations of a good header', () => {
  test('thousands of them are refused with 401, and never with anything else', { timeout: 60_000 }, async () => {
    const headers = await Promise.all(
      (['evm', 'solana'] as const).map(async (family) => (await signedHeaders(testWallet(family)))['SIGN-IN-WITH-X']!),
    )
    const originals = headers.map((header) => Buffer.from(header, 'base64').toString('utf8'))
    let checked = 0
    const mutation = fc.record({
      which: fc.constantFrom(0, 1),
      inside: fc.boolean(),
      kind: fc.constantFrom('replace', 'insert', 'delete', 'swap', 'repeat'),
      place: fc.double({ min: 0, max: 0.999, noNaN: true }),
      other: fc.double({ min: 0, max: 0.999, noNaN: true }),
      character: fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), fc.constantFrom('\n', '\0', '"', 'é', '}')),
    })
    await fc.assert(
      fc.asyncProperty(mutation, async ({ which, inside, kind, place, other, character }) => {
        const from = inside ? originals[which]! : headers[which]!
        const changed = mutate(from, kind, Math.floor(place * from.length), Math.floor(other * from.length), character)
        if (meansTheSame(changed, from, inside)) return
        const header = inside ? Buffer.from(changed).toString('base64') : changed
        if (!/^[\x20-\x7e]*$/.test(header)) return
        expect(await refusalOf(header)).toMatch(/^[A-Z_]+$/)
        checked++
      }),
      { numRuns: 6_000 },
    )
    expect(checked).toBeGreaterThan(3_000)
    const [row] = await database.query<{ count: number }>(
      'select count(*)::int as count from sign_in_nonce where nonce = any($1)',
      [originals.map((text) => /Nonce: (\w+)/.exec(text)![1]!)],
    )
    expect(row!.count).toBe(0)
  })

  function mutate(text: string, kind: string, place: number, other: number, character: string): string {
    const [before, after] = [text.slice(0, place), text.slice(place)]
    if (kind === 'insert') return before + character + after
    if (kind === 'delete') return before + after.slice(1)
    if (kind === 'swap') return before + (text[other] ?? '') + after.slice(1)
    if (kind === 'repeat') return before + after + after.slice(0, 20)
    return before + character + after.slice(1)
  }

  /** JSON may be written in many ways, and hex in either case; then the proof is the same, and good. */
  function meansTheSame(changed: string, from: string, isJson: boolean): boolean {
    const read = (text: string) => {
      try {
        const { address, message, signature } = JSON.parse(isJson ? text : Buffer.from(text, 'base64').toString('utf8'))
        const isEvm = String(address).startsWith('0x')
        return JSON.stringify([message, ...[address, signature].map((text) => (isEvm ? text.toLowerCase() : text))])
      } catch {
        return text
      }
    }
    return read(changed) === read(from)
  }
})
