import { expect, test } from 'vitest'
import { basicToken, hasSecret, scrub, secretsOf } from '@/lib/services/rpc-nodes/node-secrets'

const ADDRESS = new URL('https://us%3Aer:p%40ss@eth.Node.example:8545/v3/0123456789abcdef?apikey=s%2Fcret&x=y')

test.each([
  ['host', 'dial tcp ETH.node.example:8545: refused'],
  ['name', 'lookup eth.node.example: no such host'],
  ['key in the path', 'bad key 0123456789ABCDEF'],
  ['password', 'wrong password p@ss'],
  ['password as it is written', 'for p%40ss'],
  ['query value', 'apikey s/cret is over'],
  ['query value as it is written', '?apikey=s%2Fcret'],
  ['authorization', `Basic ${basicToken(ADDRESS)}`],
])('the %s is taken out of a text', (_, text) => {
  const secrets = secretsOf(ADDRESS)
  expect(hasSecret(text, secrets)).toBe(true)
  const clean = scrub(text, secrets)
  expect(clean).toContain('(node)')
  expect(hasSecret(clean, secrets)).toBe(false)
})

test('words of everyday are left', () => {
  const secrets = secretsOf(new URL('http://result/rpc/v1?a=b'))
  const text = '{"jsonrpc":"2.0","id":1,"result":"v1 a=b rpc"}'
  expect(secrets).toEqual([])
  expect(scrub(text, secrets)).toBe(text)
})

test('user and password become a header, whatever their letters', () => {
  expect(basicToken(ADDRESS)).toBe(Buffer.from('us:er:p@ss').toString('base64'))
  expect(basicToken(new URL('http://a:%zz@b'))).toBe(Buffer.from('a:%zz').toString('base64'))
  expect(basicToken(new URL('http://b'))).toBeUndefined()
})
