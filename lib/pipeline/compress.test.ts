import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { chooseEncoding, compress } from '@/lib/pipeline/reply'

const long = JSON.stringify({ text: 'tide '.repeat(500) })

test.each([
  [null, undefined],
  ['', undefined],
  ['gzip, br', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['*', 'gzip'],
  ['identity', undefined],
  ['BR', 'br'],
])('Accept-Encoding %j takes %s', (accept, expected) => {
  expect(chooseEncoding(accept)).toBe(expected)
})

test('a long body is compressed and says so', async () => {
  const br = await compress({ body: long, isCompressible: true }, 'br')
  expect(br.headers).toEqual({ 'Content-Encoding': 'br', Vary: 'Accept-Encoding' })
  expect(brotliDecompressSync(br.body as Uint8Array).toString()).toBe(long)
  const gzip = await compress({ body: long, isCompressible: true }, 'gzip')
  expect(gunzipSync(gzip.body as Uint8Array).toString()).toBe(long)
})

test('a short body, and one that may not be compressed, stay as they are', async () => {
  expect(await compress({ body: '{}', isCompressible: true }, 'br')).toMatchObject({
    body: '{}',
    headers: { Vary: 'Accept-Encoding' },
  })
  expect(await compress({ body: long }, 'br')).toEqual({ body: long })
})
