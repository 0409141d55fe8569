import { describe, expect, test } from 'vitest'
import { bucketOf, clientAddress } from '@/server/client-address'

describe('behind no proxy', () => {
  test('the socket says who it is, whatever the request claims', () => {
    expect(clientAddress('203.0.113.7', '198.51.100.1', 0)).toBe('203.0.113.7')
  })

  test('a thousand forged addresses are one client', () => {
    const seen = new Set(
      Array.from({ length: 1000 }, (_, index) => clientAddress('203.0.113.7', `10.0.${index % 256}.1`, 0)),
    )
    expect(seen).toEqual(new Set(['203.0.113.7']))
  })
})

describe('behind proxies', () => {
  test.each([
    ['198.51.100.1', 1, '198.51.100.1'],
    ['6.6.6.6, 198.51.100.1', 1, '198.51.100.1'],
    ['6.6.6.6, 198.51.100.1, 10.0.0.2', 2, '198.51.100.1'],
    ['198.51.100.1', 2, '198.51.100.1'],
    ['6.6.6.6,198.51.100.1:4711', 1, '198.51.100.1'],
    ['[2001:db8:1:2:3::4]:4711', 1, '2001:db8:1:2::/64'],
    ['<script>', 1, 'unknown'],
    ['', 1, 'unknown'],
  ])('%j with %i in front is %s', (forwarded, proxies, expected) => {
    expect(clientAddress('10.0.0.9', forwarded, proxies)).toBe(expected)
  })

  test('a request without the header counts by its socket', () => {
    expect(clientAddress('10.0.0.9', undefined, 2)).toBe('10.0.0.9')
  })
})

describe('an address as limits count it', () => {
  test.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
    [undefined, 'unknown'],
  ])('%s is %s', (address, bucket) => {
    expect(bucketOf(address)).toBe(bucket)
  })
})
