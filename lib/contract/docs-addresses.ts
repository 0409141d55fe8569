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
