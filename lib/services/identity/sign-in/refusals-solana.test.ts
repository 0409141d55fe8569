import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { getBase58Decoder, getBase58Encoder } from '@solana/kit'
import { beforeEach, describe, expect, test } from 'vitest'
import { signInText } from '@/lib/contract/sign-in-format'
import { testDatabase } from '@/lib/db/testing'
import { resetPerProcess } from '@/lib/kernel/per-process'
import {
  encodeHeader,
  refusalOf,
  signedPayload,
  signInFields,
  type TestWallet,
  testWallet,
} from '@/lib/services/identity/sign-in/testing'

await testDatabase()

beforeEach(() => resetPerProcess('failure-budget'))

const solana = testWallet('solana')

describe('Solana', () => {
  const base58 = (bytes: Uint8Array) => getBase58Decoder().decode(bytes)

  test.each([
    ['an address with its case changed', (address) => swapCase(address), ['INVALID_SIGNATURE', 'INVALID_WALLET']],
    ['an address with a letter that base58 lacks', (address) => `0${address.slice(1)}`, ['INVALID_WALLET']],
    ['an address of 31 bytes', () => base58(new Uint8Array(31).fill(7)), ['INVALID_WALLET']],
    ['an address of 33 bytes', () => base58(new Uint8Array(33).fill(7)), ['INVALID_WALLET']],
    ['an address of 32 bytes off the curve', () => base58(new Uint8Array(32).fill(2)), ['INVALID_SIGNATURE']],
    ['another address', () => testWallet('solana').address, ['INVALID_SIGNATURE']],
  ] as [string, (address: string) => string, string[]][])('%s', async (_, change, codes) => {
    const wallet = { ...solana, address: change(solana.address) }
    expect(codes).toContain(await refusalOf(encodeHeader(await signedPayload(wallet))))
  })

  test('an address whose case differs from the text’s', async () => {
    const payload = { ...(await signedPayload(solana)), address: swapCase(solana.address) }
    expect(await refusalOf(encodeHeader(payload))).toBe('ADDRESS_MISMATCH')
  })

  test.each([
    ['of 63 bytes', (bytes: Buffer) => base58(bytes.subarray(1))],
    ['of 65 bytes', (bytes: Buffer) => base58(Buffer.concat([bytes, bytes.subarray(0, 1)]))],
    ['of 63 bytes in base64', (bytes: Buffer) => bytes.subarray(1).toString('base64')],
    ['in hex', (bytes: Buffer) => bytes.toString('hex')],
    ['with a bit turned', (bytes: Buffer) => base58(Buffer.from([...bytes.subarray(0, 63), bytes[63]! ^ 1]))],
    ['whose s is larger by the order', (bytes: Buffer) => base58(addOrder(bytes))],
    ['with something behind it', (bytes: Buffer) => `${base58(bytes)} `],
  ])('a signature %s', async (_, change) => {
    const payload = await signedPayload(solana)
    const bytes = Buffer.from(getBase58Encoder().encode(payload.signature))
    expect(await refusalOf(encodeHeader({ ...payload, signature: change(bytes) }))).toBe('INVALID_SIGNATURE')
  })

  test('the chain of another network', async () => {
    for (const [chainId, code] of [
      ['mainnet', 'CHAIN_MISMATCH'],
      ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'CHAIN_MISMATCH'],
      ['8453', 'CHAIN_MISMATCH'],
    ] as const) {
      const text = signInText(signInFields(solana, { chainId }))
      expect(await refusalOf(encodeHeader(await signedPayload(solana, text)))).toBe(code)
    }
    const payload = { ...(await signedPayload(solana)), chainId: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' }
    expect(await refusalOf(encodeHeader(payload))).toBe('UNSUPPORTED_CHAIN')
  })

  test('a key of small order proves nothing, in none of its 14 spellings, for whatever text', async () => {
    // The order-8 points' y, then p - 1, p and p + 1: little-endian, as libsodium's list has them.
    const low = [
      '00'.repeat(32),
      `01${'00'.repeat(31)}`,
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
      `ec${'ff'.repeat(30)}7f`,
      `ed${'ff'.repeat(30)}7f`,
      `ee${'ff'.repeat(30)}7f`,
    ].map((text) => Buffer.from(text, 'hex'))
    const keys = low.flatMap((key) => [key, Buffer.from([...key.subarray(0, 31), key[31]! ^ 0x80])])
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(14)
    // R is the neutral point and s is zero: true of every text for some of these keys, by the bare equation.
    const forged = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)])
    for (const key of keys) {
      for (const r of [forged, Buffer.concat([key, Buffer.alloc(32)])]) {
        for (let n = 0; n < 8; n++) {
          const wallet: TestWallet = { family: 'solana', address: base58(key), signMessage: async () => base58(r) }
          expect(await refusalOf(encodeHeader(await signedPayload(wallet)))).toBe('INVALID_SIGNATURE')
        }
      }
    }
  })

  test('a key that is not written canonically is refused', async () => {
    for (let last = 0xed; last <= 0xff; last++) {
      const key = Buffer.from([last, ...Buffer.alloc(30, 0xff), 0x7f])
      const wallet: TestWallet = {
        family: 'solana',
        address: base58(key),
        signMessage: async (text) =>
          base58(
            sign(
              null,
              Buffer.from(text),
              createPrivateKey(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })),
            ),
          ),
      }
      expect(await refusalOf(encodeHeader(await signedPayload(wallet)))).toBe('INVALID_SIGNATURE')
    }
  })

  const swapCase = (text: string) =>
    text.replace(/[a-zA-Z]/g, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )

  /** The same s modulo the order of the curve: a twin that lax libraries take. */
  function addOrder(bytes: Buffer): Uint8Array {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order
    return Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()])
  }
})
