/** The documentation as the pages show it, made from the API's own declarations. */

export type Heading = { id: string; text: string; level: 2 | 3 }

export type DocsPage = { href: string; title: string }

export type DocsSection = { page: DocsPage; pages: DocsPage[] }

export type DocsTree = { start: DocsPage; guides: DocsPage[]; reference: DocsPage[]; groups: DocsSection[] }

export type PagesAround = { before?: DocsPage; after?: DocsPage }

/** A search result. `snippet` has the matching words, where they are not in the title. */
export type Found = { title: string; place: string; href: string; snippet?: string }

/** Languages of programs that are shown side by side, by the mark of their fences. */
export const SAMPLE_LANGUAGES = { sh: 'curl', ts: 'TypeScript', python: 'Python' } as const

export type SampleLanguage = keyof typeof SAMPLE_LANGUAGES

export type Sample = { language: SampleLanguage; code: string }

export const isSampleLanguage = (mark: string | undefined): mark is SampleLanguage =>
  mark !== undefined && Object.hasOwn(SAMPLE_LANGUAGES, mark)

export type Shape = {
  /** `string`, `array of objects`, or the name of a component that is described elsewhere. */
  type: string
  /** Bounds, each as `0 to 2` or `at most 256 characters`. */
  rules: string[]
  choices: string[]
  fields: Field[]
  /** Alternatives of a value that may be several things with fields. */
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

/** `label` tells a form from the others, such as `type: "text"`. */
export type Form = Shape & { label: string }

export type NamedShape = { name: string; shape: Shape }

/** Addresses of components that are described on a page of their own, by name. */
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

/** One form of a 200. `shape` is missing for text and bytes; `example` is JSON or text. */
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
