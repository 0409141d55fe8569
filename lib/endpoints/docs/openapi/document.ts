import 'server-only'
import { STATUS_CODES } from 'node:http'
import type { Access } from '@/lib/contract/docs'
import { API_KEYS, BILLING } from '@/lib/endpoints/docs/openapi/account'
import { CHARACTERS, MODELS } from '@/lib/endpoints/docs/openapi/catalogue'
import { RPC, X402 } from '@/lib/endpoints/docs/openapi/chains'
import { fieldsOf, type JsonSchema, referenceTo, schemasOf } from '@/lib/endpoints/docs/openapi/components'
import { bodiesOf, codesByStatus, ERROR_SCHEMAS } from '@/lib/endpoints/docs/openapi/errors'
import { familiesOfErrors, HEADERS, headersOfError, headersOfReply } from '@/lib/endpoints/docs/openapi/headers'
import { IMAGES } from '@/lib/endpoints/docs/openapi/images'
import { AUDIO, VIDEO } from '@/lib/endpoints/docs/openapi/media'
import type { Content, FormBody, Group, NamedSchema, Operation } from '@/lib/endpoints/docs/openapi/operation'
import { AUGMENT, CHAT, EMBEDDINGS } from '@/lib/endpoints/docs/openapi/text'
import { config } from '@/lib/kernel/config'

export type OpenApiDocument = {
  openapi: '3.1.1'
  info: Record<string, unknown>
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, JsonSchema>>
  components: Record<string, Record<string, JsonSchema>>
}

/** Source: API contract, README 4 and 5. */
const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'API key of any type: `Authorization: Bearer <key>`. Create keys at `/keys`.',
  },
  adminKey: { type: 'http', scheme: 'bearer', description: 'API key of type ADMIN: `Authorization: Bearer <key>`.' },
  wallet: {
    type: 'apiKey',
    in: 'header',
    name: 'SIGN-IN-WITH-X',
    description:
      'Base64-encoded JSON `{ address, message, signature, chainId, timestamp }`: a sign-in message (EIP-4361, or its Solana form) for this service, signed within the last five minutes. Each proof is valid for one request that spends credit. `X-Sign-In-With-X` is the legacy name. A request without credentials returns 402 with a challenge to sign.',
  },
  payment: {
    type: 'apiKey',
    in: 'header',
    name: 'PAYMENT-SIGNATURE',
    description:
      'Signed x402 payment as base64-encoded JSON: it tops up the payer, whose request is then served. `X-402-Payment` and `X-PAYMENT` are legacy names. Operators can disable this header; `POST /x402/top-up` always accepts payments.',
  },
}

let built: OpenApiDocument | undefined

/** Builds the OpenAPI document from the schemas that the routes validate with, once. */
export function openApiDocument(): OpenApiDocument {
  built ??= buildDocument()
  return built
}

function buildDocument(): OpenApiDocument {
  const { origin, serviceName, version } = config()
  const paths: OpenApiDocument['paths'] = {}
  const operations = GROUPS.flatMap(({ operations }) => Object.values(operations))
  for (const { tag, operations } of GROUPS) {
    for (const [place, operation] of Object.entries(operations)) {
      const [method, path] = place.split(' ') as [string, string]
      paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(tag, operation) }
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: `${serviceName} API`,
      version,
      description: `All endpoints are below \`${origin}/api/v1\`. Authentication: an API key or a wallet signature. The chat, embeddings, image, speech and transcription endpoints are compatible with common clients.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${origin}/api/v1` }],
    tags: GROUPS.map(({ tag, description }) => ({ name: tag, description })),
    paths,
    components: {
      schemas: componentsOf(operations),
      responses: sharedErrors(operations),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

function componentsOf(operations: readonly Operation[]): Record<string, JsonSchema> {
  const sent = operations.flatMap(({ body }) => (body?.json ? [body.json] : []))
  const answered = operations.flatMap(({ content, errorSchemas }) => [
    ...content.flatMap(namesOf),
    ...Object.values(errorSchemas ?? {}).flatMap((schemas) => schemas ?? []),
  ])
  const forms = operations.flatMap(({ body }) => (body?.form ? [[body.form.name, formSchema(body.form)] as const] : []))
  const requests = { ...schemasOf(sent, 'input'), ...Object.fromEntries(forms) }
  const replies = schemasOf([...ERROR_SCHEMAS, ...answered], 'output')
  const twice = Object.keys(requests).find((name) => name in replies)
  if (twice !== undefined) throw new Error(`a request and a reply are called ${twice}`)
  const all = Object.entries({ ...requests, ...replies })
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function namesOf(content: Content): NamedSchema[] {
  if (content.kind === 'json') return [content]
  return content.kind === 'events' ? [content.event] : []
}

function formSchema({ schema, file, fileDescription, mostFiles = 1, isFileOptional }: FormBody): JsonSchema {
  const fields = fieldsOf(schema)
  const bytes = { type: 'string', contentMediaType: 'application/octet-stream' }
  const files = mostFiles === 1 ? bytes : { type: 'array', items: bytes, minItems: 1, maxItems: mostFiles }
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
      [file]: { ...files, description: fileDescription },
    },
    required: isFileOptional ? required : [...required, file],
  }
}

function operationOf(tag: string, operation: Operation): JsonSchema {
  const { id, summary, description, access, body, isDeprecated } = operation
  const parameters = parametersOf(operation)
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    ...(isDeprecated && { deprecated: true }),
    security: SECURITY[access],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBodyOf(body) }),
    responses: responsesOf(operation),
  }
}

const SECURITY: Record<Access, Record<string, string[]>[]> = {
  paid: [{ apiKey: [] }, { wallet: [] }, { payment: [] }],
  key: [{ apiKey: [] }],
  admin: [{ adminKey: [] }],
  wallet: [{ wallet: [] }],
  optional: [{}, { apiKey: [] }],
  none: [],
}

const ACCEPT_ENCODING = { 'Accept-Encoding': '`br` or `gzip`: compresses JSON responses of 1 KB and more.' }

function parametersOf({ path = {}, query = [], headers = {}, sends = [] }: Operation): JsonSchema[] {
  const inPath = Object.entries(path).map(([name, { description, example, choices }]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', ...(choices && { enum: [...choices] }) },
    example,
  }))
  const inQuery = query.flatMap(fieldsOf).map(({ name, schema: { description, ...schema }, isRequired }) => ({
    name,
    in: 'query',
    // Of several queries that a route takes, none has to be the one.
    required: isRequired && query.length === 1,
    description,
    schema,
  }))
  const all = sends.includes('compressed') ? { ...headers, ...ACCEPT_ENCODING } : headers
  const inHeaders = Object.entries(all).map(([name, description]) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  }))
  return [...inPath, ...inQuery, ...inHeaders]
}

function requestBodyOf({ json, form, isOptional }: NonNullable<Operation['body']>): JsonSchema {
  return {
    required: !isOptional,
    content: {
      ...(json && { 'application/json': { schema: referenceTo(json.name), example: json.example } }),
      ...(form && { 'multipart/form-data': { schema: referenceTo(form.name), example: formExample(form) } }),
    },
  }
}

export function formExample({ file, mostFiles = 1, example }: FormBody): Record<string, unknown> {
  return { ...example, [file]: mostFiles === 1 ? '(bytes)' : ['(bytes)'] }
}

function responsesOf(operation: Operation): JsonSchema {
  const { access, content, sends } = operation
  const done = {
    description: 'Success.',
    headers: headersOfReply(access, sends),
    content: Object.fromEntries(content.flatMap(mediaTypesOf)),
  }
  const errors = [...codesByStatus(operation)].map(([status, codes]) => {
    const description = `${STATUS_CODES[status]}: ${codes.map((code) => `\`${code}\``).join(', ')}.`
    const form = isOfItsOwn(operation, status)
      ? errorOf(operation, status)
      : { $ref: `#/components/responses/${nameOfError(access, status)}` }
    return [status, { ...form, description }]
  })
  return { ...(content.length > 0 && { 200: done }), ...Object.fromEntries(errors) }
}

function sharedErrors(operations: readonly Operation[]): Record<string, JsonSchema> {
  const shared = new Map<string, JsonSchema>()
  for (const operation of operations) {
    for (const [status] of codesByStatus(operation)) {
      if (isOfItsOwn(operation, status)) continue
      const error = { ...errorOf(operation, status), description: `${STATUS_CODES[status]}.` }
      shared.set(nameOfError(operation.access, status), error)
    }
  }
  return Object.fromEntries([...shared].sort(([left], [right]) => (left < right ? -1 : 1)))
}

const isOfItsOwn = ({ errorSchemas, sends }: Operation, status: number): boolean =>
  errorSchemas?.[status] !== undefined || familiesOfErrors(sends).length > 0

const PREFIXES: Record<Access, string> = {
  paid: 'Paid',
  key: 'Key',
  admin: 'Admin',
  wallet: 'Wallet',
  optional: 'Open',
  none: 'Public',
}
const nameOfError = (access: Access, status: number): string =>
  PREFIXES[access] + (STATUS_CODES[status] ?? String(status)).replace(/\W/g, '')

function errorOf(operation: Operation, status: number): JsonSchema {
  const references = bodiesOf(operation, status).map(({ name }) => referenceTo(name))
  const schema = references.length === 1 ? references[0]! : { anyOf: references }
  const { access, sends } = operation
  const headers = headersOfError(status, access, familiesOfErrors(sends))
  return { headers, content: { 'application/json': { schema } } }
}

function mediaTypesOf(content: Content): [string, JsonSchema][] {
  switch (content.kind) {
    case 'json':
      return [['application/json', { schema: referenceTo(content.name), example: content.example }]]
    case 'events': {
      // Version 3.1 has no word for the schema of one event.
      const { description, event } = content
      const media = { schema: { type: 'string', description }, 'x-event-schema': referenceTo(event.name) }
      return [['text/event-stream', media]]
    }
    case 'text':
      return [[content.type, { schema: schemaOfText, example: content.example }]]
    case 'bytes':
      return content.types.map((type) => [type, { schema: {} }])
  }
}

const schemaOfText = { type: 'string' }

export const GROUPS: readonly Group[] = [
  CHAT,
  MODELS,
  EMBEDDINGS,
  IMAGES,
  AUDIO,
  VIDEO,
  AUGMENT,
  CHARACTERS,
  RPC,
  X402,
  API_KEYS,
  BILLING,
]
