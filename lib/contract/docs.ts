export const DOCS = '/docs'
export const REFERENCE = `${DOCS}/reference`
export const ERRORS = `${REFERENCE}/errors`
export const HEADERS = `${REFERENCE}/headers`
export const SEARCH = `${DOCS}/search`
export const OPENAPI_FILES = { yaml: '/doc/api/swagger.yaml', json: '/doc/api/openapi.json' } as const

export const guideHref = (slug: string): string => `${DOCS}/guides/${slug}`
export const groupHref = (tag: string): string => `${REFERENCE}/${slugOf(tag)}`
export const operationHref = (tag: string, id: string): string => `${groupHref(tag)}/${slugOf(id)}`
export const errorSchemaHref = (name: string): string => `${ERRORS}#${slugOf(name)}`
export const errorCodeHref = (code: string): string => `${ERRORS}#${slugOf(code)}`
export const headerHref = (name: string): string => `${HEADERS}#${slugOf(name)}`

export const slugOf = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z\d]+/g, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase()

type Marked = { type: string; tokens?: Marked[] | undefined; text?: unknown }

export const headingId = (heading: Marked): string => slugOf(plainText(heading))

export const plainText = ({ tokens = [] }: Marked): string =>
  tokens.map((token) => (token.tokens ? plainText(token) : String(token.text ?? ''))).join('')

export type Heading = { id: string; text: string; level: 2 | 3 }

export type DocsPage = { href: string; title: string }

export type DocsSection = { page: DocsPage; pages: DocsPage[] }

export type DocsTree = { start: DocsPage; guides: DocsPage[]; reference: DocsPage[]; groups: DocsSection[] }

export type PagesAround = { before?: DocsPage; after?: DocsPage }

export type Found = { title: string; place: string; href: string; snippet?: string }

export const SAMPLE_LANGUAGES = { sh: 'curl', ts: 'TypeScript', python: 'Python' } as const

export type SampleLanguage = keyof typeof SAMPLE_LANGUAGES

export type Sample = { language: SampleLanguage; code: string }

export const isSampleLanguage = (mark: string | undefined): mark is SampleLanguage =>
  mark !== undefined && Object.hasOwn(SAMPLE_LANGUAGES, mark)

export type Shape = {
  type: string
  rules: string[]
  choices: string[]
  fields: Field[]
  forms: Form[]
  component?: string
  isNullable?: true
}

export type Field = Shape & {
  name: string
  isRequired: boolean
  about?: string
  initial?: string
}

export type Form = Shape & { label: string }

export type NamedShape = { name: string; shape: Shape }

export type Homes = ReadonlyMap<string, string>

/**
 * Credentials of an operation. `paid`: any API key, a wallet's proof, or a payment. `key`: any API key. `admin`: an
 * ADMIN key. `wallet`: the proof of the wallet in the path. `optional`: a key narrows the answer. `none`: credentials
 * are ignored.
 */
export type Access = 'paid' | 'key' | 'admin' | 'wallet' | 'optional' | 'none'

export type DocumentedOperation = {
  slug: string
  href: string
  id: string
  group: { name: string; href: string }
  method: string
  path: string
  summary: string
  about?: string
  isDeprecated: boolean
  access: Access
  parameters: ParameterList[]
  body?: DocumentedBody
  replies: DocumentedReply[]
  headers: string[]
  errors: DocumentedError[]
}

export type ParameterList = { place: 'path' | 'query' | 'header'; fields: Field[] }
export type DocumentedBody = { isOptional: boolean; forms: { type: string; shape: Shape; isClosed: boolean }[] }

export type DocumentedReply = { type: string; shape?: Shape; about?: string; example?: string }

export type DocumentedError = {
  status: number
  name: string
  codes: string[]
  shared: string[]
  own: NamedShape[]
}

export type Terms = { price: string; limit: string }

export type DocumentedCode = { code: string; statuses: { status: number; name: string }[]; words: string }

export type DocumentedHeader = { name: string; type: string; about: string }
