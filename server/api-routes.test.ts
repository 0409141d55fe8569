import { describe, expect, test } from 'vitest'
import { createRouter, type Route } from '@/server/api'

const route = (...pattern: string[]): Route & { name: string } => ({ pattern, module: {}, name: pattern.join('/') })
const routes = [
  route('api', 'v1', '[...path]'),
  route('api', 'v1', 'models'),
  route('api', 'v1', 'models', 'traits'),
  route('api', 'v1', 'crypto', 'rpc', 'networks'),
  route('api', 'v1', 'crypto', 'rpc', '[network]'),
  route('api', 'v1', 'characters', '[slug]', 'reviews'),
]
const match = createRouter(routes)
const nameOf = (path: string) => {
  const found = match(path)
  return found && { name: routes.find(({ module }) => module === found.module)?.name, params: found.params }
}

describe('a path finds its module', () => {
  test.each([
    ['/api/v1/models', 'api/v1/models', {}],
    ['/api/v1/models/', 'api/v1/models', {}],
    ['/api/v1/%6dodels', 'api/v1/models', {}],
    ['/api/v1/models/traits', 'api/v1/models/traits', {}],
    ['/api/v1/crypto/rpc/networks', 'api/v1/crypto/rpc/networks', {}],
    ['/api/v1/crypto/rpc/base-mainnet', 'api/v1/crypto/rpc/[network]', { network: 'base-mainnet' }],
    ['/api/v1/characters/a%20b%2Fc/reviews', 'api/v1/characters/[slug]/reviews', { slug: 'a b/c' }],
    ['/api/v1/characters/alan', 'api/v1/[...path]', { path: ['characters', 'alan'] }],
    ['/api/v1/../../etc/passwd', 'api/v1/[...path]', { path: ['..', '..', 'etc', 'passwd'] }],
    ['/api/v1/models//traits', 'api/v1/[...path]', { path: ['models', '', 'traits'] }],
    ['/api/v1/__proto__', 'api/v1/[...path]', { path: ['__proto__'] }],
  ])('%s', (path, name, params) => {
    expect(nameOf(path)).toEqual({ name, params })
  })
})

test('what no pattern covers is nothing', () => {
  expect(match('/api/v2/models')).toBeUndefined()
  expect(match('/api')).toBeUndefined()
  expect(match(`/api/v1${'/x'.repeat(100_000)}`)).toBeUndefined()
})

test('a segment that is not valid percent-encoding is told apart', () => {
  expect(() => match('/api/v1/crypto/rpc/%E0%A4%A')).toThrow(URIError)
})

test('two names in one place are a mistake of ours', () => {
  expect(() => createRouter([route('a', '[x]'), route('a', '[y]', 'z')])).toThrow('stand in one place')
})

test('a match names its pattern as logs do', () => {
  const patternOf = (path: string) => match(path)?.pattern
  expect(patternOf('/api/v1/models/')).toBe('/api/v1/models')
  expect(patternOf('/api/v1/crypto/rpc/base-mainnet')).toBe('/api/v1/crypto/rpc/:network')
  expect(patternOf('/api/v1/crypto/rpc/%3Anetwork')).toBe('/api/v1/crypto/rpc/:network')
  expect(patternOf('/api/v1/a/b/c')).toBe('/api/v1/:path')
})
