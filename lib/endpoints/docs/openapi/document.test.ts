import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { formExample, GROUPS, openApiDocument } from '@/lib/endpoints/docs/openapi/document'
import type { FormBody, Operation } from '@/lib/endpoints/docs/openapi/operation'
import { faultsOf } from '@/lib/endpoints/docs/openapi/testing'
import { routes } from '@/server/routes.gen'

const document = openApiDocument()
const operations: [place: string, operation: Operation][] = GROUPS.flatMap(({ operations }) =>
  Object.entries(operations),
)

test('is OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
})

const ANY_PATH = '[...path]'

test('has every method of every path below /api/v1, and no other', async () => {
  const served = await Promise.all(
    routes
      .filter(({ pattern }) => pattern[1] === 'v1' && pattern[2] !== ANY_PATH)
      .map(async ({ pattern, module }) => {
        const path = pattern.slice(2).map((segment) => segment.replace(/^\[(?:\.\.\.)?(.+)\]$/, '{$1}'))
        return (await methodsOf(module)).map((method) => `${method} /${path.join('/')}`)
      }),
  )
  expect(operations.map(([place]) => place).sort()).toEqual(served.flat().sort())
})

async function methodsOf(module: object): Promise<string[]> {
  const { PUT } = module as { PUT: (request: Request, route: object) => Promise<Response> }
  const refusal = await PUT(new Request('http://localhost:3000/api/v1', { method: 'PUT' }), {
    params: Promise.resolve({}),
  })
  const allow = refusal.headers.get('allow') ?? ''
  return allow.split(', ').filter((method) => method !== 'OPTIONS' && method !== 'HEAD')
}

test('every operation has a name of its own, and every path says its parameters', () => {
  const names = operations.map(([, { id }]) => id)
  expect(new Set(names).size).toBe(names.length)
  for (const [place, { path = {} }] of operations) {
    const inPath = [...place.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(Object.keys(path), place).toEqual(inPath)
  }
})

test('every reference leads somewhere, and every component is used', () => {
  const text = JSON.stringify(document)
  const references = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, place]) => place))
  for (const kind of ['schemas', 'responses', 'headers'] as const) {
    const names = Object.keys(document.components[kind]!).map((name) => `${kind}/${name}`)
    const used = [...references].filter((place) => place?.startsWith(`${kind}/`))
    expect(used.sort()).toEqual(names.sort())
  }
})

test('every operation has an example of what is sent, or of what is answered', () => {
  const bare = operations.filter(([, { body, content }]) => !body && !content.some(({ kind }) => kind === 'json'))
  expect(bare).toEqual([])
})

describe('every example fits its schema', () => {
  test.each(operations)('%s', (_place, { body, content }) => {
    if (body?.json) {
      expect(body.json.schema.safeParse(body.json.example).error).toBeUndefined()
      expect(faultsOf({ $ref: `#/components/schemas/${body.json.name}` }, body.json.example)).toBeUndefined()
    }
    if (body?.form) {
      expect(body.form.schema.safeParse(body.form.example).error).toBeUndefined()
      expect(faultsOf({ $ref: `#/components/schemas/${body.form.name}` }, formExample(body.form))).toBeUndefined()
    }
    for (const one of content) {
      if (one.kind !== 'json') continue
      expect(one.schema.safeParse(one.example).error).toBeUndefined()
      expect(faultsOf({ $ref: `#/components/schemas/${one.name}` }, one.example)).toBeUndefined()
    }
  })
})

test('a number of a query is told as a number, with its bounds and what it is by default', () => {
  const operation = document.paths['/x402/transactions/{walletAddress}']?.get as { parameters: { name: string }[] }
  expect(operation.parameters.find(({ name }) => name === 'limit')).toMatchObject({
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
  })
})

test('a form tells its fields and its file', () => {
  const form = operations.find(([place]) => place === 'POST /audio/transcriptions')?.[1].body?.form as FormBody
  expect(document.components.schemas?.[form.name]).toMatchObject({
    required: ['file'],
    properties: { file: { type: 'string' }, response_format: { enum: ['json', 'text', 'srt', 'vtt', 'verbose_json'] } },
  })
})

test('a closed body is told as closed, an open one as open', () => {
  expect(document.components.schemas?.EmbeddingsRequest).toMatchObject({ additionalProperties: false })
  const chat = document.components.schemas?.ChatCompletionRequest as Record<string, unknown>
  expect(chat.additionalProperties).not.toBe(false)
})

test('a reply that may be compressed says how to ask for it, and a file has its name', () => {
  type Described = { parameters?: { name: string }[]; responses: Record<string, { headers: Record<string, unknown> }> }
  const paths = document.paths as Record<string, Record<string, Described>>
  for (const path of ['/chat/completions', '/image/generate', '/images/generations', '/embeddings']) {
    const { parameters = [], responses } = paths[path]!.post!
    expect(
      parameters.map(({ name }) => name),
      path,
    ).toContain('Accept-Encoding')
    expect(responses['200']!.headers, path).toHaveProperty('Content-Encoding')
  }
  expect(paths['/billing/usage-history']!.get!.responses['200']!.headers).toHaveProperty('Content-Disposition')
})
