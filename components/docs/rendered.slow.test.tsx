import { existsSync } from 'node:fs'
import path from 'node:path'
import type { ReactNode } from 'react'
import { renderToReadableStream } from 'react-dom/server'
import { beforeAll, describe, expect, test } from 'vitest'
import { Article } from '@/components/docs/article'
import { Prose } from '@/components/docs/docs-text'
import { ERROR_PARTS, ErrorsReference, HeadersReference } from '@/components/docs/errors'
import { OperationCards, OperationReference, partsOf } from '@/components/docs/operation'
import { Overview } from '@/components/docs/overview'
import { DOCS, ERRORS, guideHref, HEADERS, REFERENCE, slugOf } from '@/lib/contract/docs'
import { STATUS } from '@/lib/contract/errors'
import { documentedCodes } from '@/lib/endpoints/docs/error-words'
import { guides, referenceText } from '@/lib/endpoints/docs/guides'
import type { JsonSchema } from '@/lib/endpoints/docs/openapi/components'
import { openApiDocument } from '@/lib/endpoints/docs/openapi/document'
import { codeOnWire } from '@/lib/endpoints/docs/openapi/errors'
import { HEADERS as DOCUMENTED_HEADERS } from '@/lib/endpoints/docs/openapi/headers'
import { docsPages, pagesAround } from '@/lib/endpoints/docs/pages'
import { documentedHeaders, reference } from '@/lib/endpoints/docs/reference'
import { samplesOf } from '@/lib/endpoints/docs/samples'
import { termsOf } from '@/lib/endpoints/docs/terms'

const NO_PARTS = { headings: [], title: 'A title' }
const { groups, errorShapes, homes } = reference()
const operations = groups.flatMap((group) => group.operations)
const pages = new Map<string, string>()

beforeAll(async () => {
  const elements: [string, ReactNode][] = [
    [
      DOCS,
      <Overview
        key="0"
        baseUrl="http://docs.example/api/v1"
        samples={operations.slice(0, 1).flatMap(samplesOf)}
        guides={guides()}
        groups={groups}
      />,
    ],
    [REFERENCE, <Prose key="0" tokens={referenceText().tokens} />],
    [ERRORS, <ErrorsReference key="0" codes={documentedCodes()} errorShapes={errorShapes} homes={homes} />],
    [HEADERS, <HeadersReference key="0" headers={documentedHeaders()} />],
    ...guides().map(({ slug, tokens }): [string, ReactNode] => [guideHref(slug), <Prose key="0" tokens={tokens} />]),
    ...groups.map(({ href, operations }): [string, ReactNode] => [
      href,
      <OperationCards key="0" operations={operations} />,
    ]),
    ...operations.map((operation): [string, ReactNode] => [
      operation.href,
      <OperationReference
        key="0"
        operation={operation}
        samples={samplesOf(operation)}
        terms={termsOf(operation)}
        homes={homes}
      />,
    ]),
  ]
  for (const [href, element] of elements) {
    pages.set(
      href,
      await html(
        <Article {...NO_PARTS} around={pagesAround(href)}>
          {element}
        </Article>,
      ),
    )
  }
}, 120_000)

async function html(element: ReactNode): Promise<string> {
  const stream = await renderToReadableStream(element)
  await stream.allReady
  return new Response(stream).text()
}

const attributesOf = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value]) => value!.replaceAll('&amp;', '&'))

test('every page in the list is there, and no other', () => {
  expect([...pages.keys()].sort()).toEqual(
    docsPages()
      .map(({ href }) => href)
      .sort(),
  )
})

test('every link leads to a page that is there, and to a part of it that is there', () => {
  const lost: string[] = []
  for (const [from, text] of pages) {
    for (const href of attributesOf(text, 'href')) {
      const { origin, pathname, hash } = new URL(href, `http://docs.example${from}`)
      if (origin !== 'http://docs.example') continue
      const page = pages.get(pathname)
      const isThere =
        page === undefined ? isServed(pathname) : hash === '' || attributesOf(page, 'id').includes(hash.slice(1))
      if (!isThere) lost.push(`${from} -> ${href}`)
    }
  }
  expect(lost).toEqual([])
})

const isServed = (pathname: string): boolean =>
  ['page.tsx', 'route.ts', 'route.tsx'].some((file) =>
    ['app', path.join('app', '(screens)')].some((folder) => existsSync(path.join(folder, pathname, file))),
  )

test('no two parts of a page have one address', () => {
  for (const [href, text] of pages) {
    const ids = attributesOf(text, 'id')
    expect(ids.length, href).toBe(new Set(ids).size)
  }
})

test('the pages of an operation list the parts that it has', () => {
  for (const operation of operations) {
    const ids = attributesOf(pages.get(operation.href)!, 'id')
    for (const { id } of partsOf(operation)) expect(ids, operation.href).toContain(id)
  }
  for (const { id } of ERROR_PARTS) expect(attributesOf(pages.get(ERRORS)!, 'id')).toContain(id)
})

describe('nothing of the document is left out', () => {
  const { paths, components } = openApiDocument()
  const schemas = components.schemas ?? {}

  function namesIn(schema: JsonSchema, seen = new Set<string>()): string[] {
    const { $ref } = schema
    if (typeof $ref === 'string') {
      const name = $ref.split('/').at(-1)!
      return seen.has(name) ? [] : namesIn(schemas[name]!, seen.add(name))
    }
    const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
    const lists = [schema.anyOf, schema.oneOf].flatMap((list) => (list as JsonSchema[] | undefined) ?? [])
    const parts = [schema.items, schema.additionalProperties].filter(
      (part) => typeof part === 'object' && part !== null,
    )
    return [
      ...properties.map(([name]) => name),
      ...[...properties.map(([, field]) => field), ...lists, ...(parts as JsonSchema[])].flatMap((part) =>
        namesIn(part, seen),
      ),
    ]
  }

  test('every operation has its page, under its method and path', () => {
    const places = Object.entries(paths).flatMap(([address, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${address}`),
    )
    expect(operations.map(({ method, path: address }) => `${method} ${address}`).sort()).toEqual(places.sort())
    for (const { href, path: address } of operations) expect(pages.get(href)).toContain(`/api/v1<!-- -->${address}`)
  })

  test('every field that is sent or answered is on the page of its operation', () => {
    for (const { href, method, path: address } of operations) {
      type Media = { schema: JsonSchema; 'x-event-schema'?: JsonSchema }
      type Described = {
        parameters?: { name: string }[]
        requestBody?: { content: Record<string, Media> }
        responses: Record<string, { content?: Record<string, Media> }>
      }
      const { parameters = [], requestBody, responses } = paths[address]![method.toLowerCase()] as unknown as Described
      const media = [...Object.values(requestBody?.content ?? {}), ...Object.values(responses['200']?.content ?? {})]
      const names = new Set([
        ...parameters.map(({ name }) => name),
        ...media.flatMap(({ schema, 'x-event-schema': event }) => namesIn(event ?? schema)),
      ])
      const text = pages.get(href)!
      // A component that another operation answers by itself is described there, and linked.
      const linked = attributesOf(text, 'href').flatMap((link) => pages.get(link) ?? [])
      const shown = new Set(fieldNames([text, ...linked].join('')))
      expect(
        [...names].filter((name) => !shown.has(name)),
        href,
      ).toEqual([])
    }
  })

  const fieldNames = (text: string): string[] =>
    [...text.matchAll(/<code class="docs-field-name">([^<]*)<\/code>/g)].map(([, name]) => name!)

  test('every status and code of an operation is on its page', () => {
    for (const { href, errors } of operations) {
      const text = pages.get(href)!
      for (const { status, codes } of errors) {
        expect(text).toContain(`>${status}</p>`)
        for (const code of codes) expect(text).toContain(`<code>${code}</code>`)
      }
    }
  })

  test('every code and every header is explained, at an address of its own', () => {
    for (const code of Object.keys(STATUS) as (keyof typeof STATUS)[]) {
      expect(attributesOf(pages.get(ERRORS)!, 'id')).toContain(slugOf(codeOnWire(code)))
    }
    for (const name of Object.keys(DOCUMENTED_HEADERS)) {
      expect(attributesOf(pages.get(HEADERS)!, 'id')).toContain(slugOf(name))
    }
  })
})

test('who may ask, the price and the limit stand on the page of every operation', () => {
  for (const { href, access } of operations) {
    const text = pages.get(href)!
    for (const name of ['Credentials', 'Price', 'Rate limit']) expect(text).toContain(`<dt>${name}</dt>`)
    if (access === 'paid') expect(text, href).not.toMatch(/<dt>Credentials<\/dt><dd>None/)
  }
})

test('what is English says so, whatever language is spoken around it', () => {
  for (const text of pages.values()) expect(text).toContain('<article lang="en" dir="ltr"')
})
