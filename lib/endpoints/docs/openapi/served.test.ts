import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as asJson from '@/app/doc/api/openapi.json/route'
import * as asYaml from '@/app/doc/api/swagger.yaml/route'
import * as llms from '@/app/llms.txt/route'
import { openApiDocument } from '@/lib/endpoints/docs/openapi/document'

const ORIGIN = 'http://localhost:3000'
const NO_PARAMS = { params: Promise.resolve({}) }
const DESCRIPTION = new Request(`${ORIGIN}/doc/api/swagger.yaml`)

describe('the interface description', () => {
  test('is served as YAML and as JSON, the same, to everyone and to caches', async () => {
    const [yaml, json] = [await asYaml.GET(DESCRIPTION, NO_PARAMS), await asJson.GET(DESCRIPTION, NO_PARAMS)]
    expect(yaml.headers.get('content-type')).toBe('application/yaml; charset=utf-8')
    expect(json.headers.get('content-type')).toBe('application/json')
    for (const { status, headers } of [yaml, json]) {
      expect(status).toBe(200)
      expect(headers.get('cache-control')).toBe('public, max-age=300')
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
    const document = await json.json()
    expect(parse(await yaml.text())).toEqual(document)
    expect(document).toEqual(structuredClone(openApiDocument()))
  })

  test('is sent small to whoever takes that', async () => {
    const packed = await asYaml.GET(new Request(DESCRIPTION, { headers: { 'accept-encoding': 'br' } }), NO_PARAMS)
    expect([packed.headers.get('content-encoding'), packed.headers.get('vary')]).toEqual(['br', 'Accept-Encoding'])
    expect((await packed.arrayBuffer()).byteLength).toBeLessThan(100_000)
  })

  test('carries the version that every reply carries', async () => {
    const { headers } = await asYaml.GET(DESCRIPTION, NO_PARAMS)
    expect(openApiDocument().info.version).toBe(headers.get('x-service-version'))
  })

  test('is not sent again to whoever has it', async () => {
    const tag = (await asYaml.GET(DESCRIPTION, NO_PARAMS)).headers.get('etag') ?? ''
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/)
    const ask = (sent: string) =>
      asYaml.GET(new Request(DESCRIPTION, { headers: { 'if-none-match': sent } }), NO_PARAMS)
    for (const sent of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
      const again = await ask(sent)
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, null, tag])
    }
    expect((await ask('"other"')).status).toBe(200)
    expect((await asJson.GET(DESCRIPTION, NO_PARAMS)).headers.get('etag')).not.toBe(tag)
  })

  test('is read and nothing else', async () => {
    const refusal = await asYaml.POST(new Request(DESCRIPTION, { method: 'POST' }), NO_PARAMS)
    expect([refusal.status, refusal.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    const head = await asYaml.HEAD(new Request(DESCRIPTION, { method: 'HEAD' }), NO_PARAMS)
    expect([head.status, head.body]).toEqual([200, null])
  })
})

test('llms.txt says what this is, where it is, how to get in, and where to read on', async () => {
  const reply = await llms.GET(new Request(`${ORIGIN}/llms.txt`), NO_PARAMS)
  expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  const text = await reply.text()
  expect(text.length).toBeLessThan(8_000)
  for (const part of [`${ORIGIN}/api/v1`, `${ORIGIN}/doc/api/swagger.yaml`, `${ORIGIN}/docs`, 'SIGN-IN-WITH-X']) {
    expect(text).toContain(part)
  }
  for (const path of Object.keys(openApiDocument().paths)) expect(text).toContain(` ${path}\``)
})
