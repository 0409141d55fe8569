import { NextRequest } from 'next/server'
import { expect, test } from 'vitest'
import { endpoint, routePattern } from '@/lib/pipeline/route'

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

test('a reply is compressed where it goes out as it is; Next, which takes the header off, compresses by itself', async () => {
  const answer = endpoint(() => ({ body: 'tide '.repeat(1_000), contentType: 'text/plain', isCompressible: true }))
  const ask = (request: Request) => answer(request, { params: Promise.resolve({}) })
  const init = { headers: { 'accept-encoding': 'gzip' } }
  const own = await ask(new Request('http://localhost/api/v1/models', init))
  expect(own.headers.get('content-encoding')).toBe('gzip')
  const ofNext = await ask(new NextRequest('http://localhost/doc/api/openapi.json', init))
  expect(ofNext.headers.has('content-encoding')).toBe(false)
  expect(await ofNext.text()).toMatch(/^tide /)
})
