import { describe, expect, test } from 'vitest'
import { type SignInFields, signInText } from '@/lib/contract/sign-in-format'
import { parseMessage } from '@/lib/services/identity/sign-in/parse-message'
import { parsePayload } from '@/lib/services/identity/sign-in/payload'
import { encodeHeader, signInFields, type TestWallet } from '@/lib/services/identity/sign-in/testing'
import { checkClaims } from '@/lib/services/identity/sign-in/verify'
import { withEnvironment } from '@/lib/services/identity/testing'

const NOW = Date.UTC(2031, 4, 5, 6, 7, 8, 9)
const iso = (aheadMs: number) => new Date(NOW + aheadMs).toISOString()
const EVM: TestWallet = {
  family: 'evm',
  address: '0x90F8bf6A479f320ead074411a4B0e7944Ea8c9C1',
  signMessage: () => Promise.reject(new Error('signs nothing')),
}

/** What a proof with these fields, checked at `NOW`, is answered before any curve; `good` when it goes on to the curve. */
function claim(changes: Partial<SignInFields>, beside: object = {}): string {
  const message = signInText(signInFields(EVM, { issuedAt: iso(0), ...changes }))
  try {
    const payload = parsePayload(encodeHeader({ address: EVM.address, message, signature: '0x00', ...beside }))
    checkClaims(payload, parseMessage(payload.text, payload.family), NOW)
    return 'good'
  } catch (error) {
    return (error as { code: string }).code.replace('X402_SIGN_IN_', '')
  }
}

describe('times, to the millisecond', () => {
  test.each([
    ['issued five minutes ago', { issuedAt: iso(-300_000) }, 'good'],
    ['issued a millisecond before that', { issuedAt: iso(-300_001) }, 'EXPIRED'],
    ['issued 30 seconds ahead', { issuedAt: iso(30_000) }, 'good'],
    ['issued a millisecond more ahead', { issuedAt: iso(30_001) }, 'FUTURE_TIMESTAMP'],
    ['ending now', { expirationTime: iso(0) }, 'EXPIRED'],
    ['ending in a millisecond', { expirationTime: iso(1) }, 'good'],
    ['ending in an hour, issued too long ago', { issuedAt: iso(-300_001), expirationTime: iso(3_600_000) }, 'EXPIRED'],
    ['not before now', { notBefore: iso(0) }, 'good'],
    ['not before the next millisecond', { notBefore: iso(1) }, 'NOT_BEFORE'],
    ['in another zone', { issuedAt: iso(7_200_000).replace('Z', '+02:00') }, 'good'],
    ['in another zone, too early', { issuedAt: iso(7_200_000 - 300_001).replace('Z', '+02:00') }, 'EXPIRED'],
    ['in nanoseconds', { issuedAt: iso(0).replace('Z', '123456Z') }, 'good'],
  ])('%s: %o is %s', (_, changes, outcome) => {
    expect(claim(changes)).toBe(outcome)
  })

  test.each([
    [-30_000, 'good'],
    [30_000, 'good'],
    [-30_001, 'TIMESTAMP_MISMATCH'],
    [30_001, 'TIMESTAMP_MISMATCH'],
  ])('a timestamp %i ms from its issue is %s', (apartMs, outcome) => {
    expect(claim({ issuedAt: iso(-60_000) }, { timestamp: NOW - 60_000 + apartMs })).toBe(outcome)
  })
})

describe('the first fault in the order of the contract is the one that is told', () => {
  const wrong: [string, Partial<SignInFields>, object][] = [
    ['EXPIRED', { issuedAt: iso(-600_000), expirationTime: iso(-1) }, { timestamp: 0 }],
    ['DOMAIN_MISMATCH', { domain: 'evil.example' }, {}],
    ['MISSING_NONCE', { nonce: 'short' }, {}],
    ['CHAIN_MISMATCH', { chainId: '1' }, { chainId: 8453 }],
    ['ADDRESS_MISMATCH', {}, { address: '0x12' }],
    ['INVALID_MESSAGE', { statement: 'two\nlines' }, {}],
    ['UNSUPPORTED_CHAIN', {}, { chainId: 1 }],
    ['INVALID_PAYLOAD', {}, { signature: undefined }],
  ]
  test.each(wrong.map(([code], index) => [code, index] as const))(
    '%s goes before all that come after',
    (code, index) => {
      const faults = wrong.slice(0, index + 1)
      const changes = Object.assign({}, ...faults.map(([, fields]) => fields))
      const beside = Object.assign({}, ...faults.map(([, , payload]) => payload))
      expect(claim(changes, beside)).toBe(code)
    },
  )
})

describe('domains', () => {
  const REAL = { SERVICE_ORIGIN: 'https://kiosk.example', SIGN_IN_DOMAINS: '[2001:db8::1]:8443', SANDBOX: 'off' }
  test.each([
    ['kiosk.example', 'good'],
    ['kiosk.example:443', 'good'],
    ['kiosk.example:1', 'DOMAIN_MISMATCH'],
    ['KIOSK.example', 'good'],
    ['https://kiosk.example/a/path', 'good'],
    ['[2001:DB8::1]:8443', 'good'],
    ['[2001:db8::1]', 'DOMAIN_MISMATCH'],
    ['[2001:db8::1]:443', 'DOMAIN_MISMATCH'],
    // The sign of the Kelvin has our k for its lower case.
    ['\u212aiosk.example', 'DOMAIN_MISMATCH'],
    ['kiosk.example.', 'DOMAIN_MISMATCH'],
    ['kiosk\u200b.example', 'DOMAIN_MISMATCH'],
    ['kiosk\u3002example', 'DOMAIN_MISMATCH'],
    ['user@kiosk.example', 'DOMAIN_MISMATCH'],
    ['kiosk.example@evil.example', 'DOMAIN_MISMATCH'],
    ['https://kiosk.example@evil.example', 'DOMAIN_MISMATCH'],
    ['kiosk.example:443@evil.example', 'DOMAIN_MISMATCH'],
    ['kiosk.example:', 'DOMAIN_MISMATCH'],
    ['kiosk.example:port', 'DOMAIN_MISMATCH'],
    ['kiosk.example:123456', 'DOMAIN_MISMATCH'],
    ['kiosk.example#evil.example', 'DOMAIN_MISMATCH'],
    ['kiosk.example?evil.example', 'DOMAIN_MISMATCH'],
    ['evil.example/kiosk.example', 'DOMAIN_MISMATCH'],
    ['evil.example\\kiosk.example', 'DOMAIN_MISMATCH'],
    ['//kiosk.example', 'DOMAIN_MISMATCH'],
    ['kiosk.example evil.example', 'DOMAIN_MISMATCH'],
    ['[2001:db8::2]', 'DOMAIN_MISMATCH'],
    ['2001:db8::1', 'DOMAIN_MISMATCH'],
    ['localhost', 'DOMAIN_MISMATCH'],
    ['127.0.0.1', 'DOMAIN_MISMATCH'],
  ])('%s is %s', async (domain, outcome) => {
    await withEnvironment(REAL, () => expect(claim({ domain })).toBe(outcome))
  })
})
