import { expect, test } from 'vitest'
import { routePattern } from '@/lib/api/endpoint'

test.each([
  ['/api/v1/models', {}, '/api/v1/models'],
  ['/api/shares/0f', { id: '0f' }, '/api/shares/:id'],
  ['/api/shares/0f/', { id: '0f' }, '/api/shares/:id'],
  ['/api/characters/made-up/export', { slug: 'made-up' }, '/api/characters/:slug/export'],
  ['/api/characters/a%20b/profile', { slug: 'a b' }, '/api/characters/:slug/profile'],
  ['/api/characters/%65xport/export', { slug: 'export' }, '/api/characters/export/:slug'],
  ['/%61pi/assists', {}, '/api/assists'],
  ['/api/v1/models/a/b%2Fc', { id: ['a', 'b/c'] }, '/api/v1/models/:id'],
  ['/api/x/1/y/2', { one: '1', two: '2' }, '/api/x/:one/y/:two'],
  ['/api/x/1/y/2', { two: '2', one: '1' }, '/api/x/:one/y/:two'],
])('%s is counted as its pattern', (path, params, pattern) => {
  expect(routePattern(path, params)).toBe(pattern)
})
