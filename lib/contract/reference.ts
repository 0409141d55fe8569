/** What the documentation says: made from the API's own declarations, drawn by the pages. */

/** A part of a page, as its contents list it. */
export type Heading = { id: string; text: string; level: 2 | 3 }

export type DocsPage = { href: string; title: string }

/** Pages under a common name: a guide each, or the operations of a group below the group's own page. */
export type DocsSection = { page: DocsPage; pages: DocsPage[] }

/** All pages in the order in which they are read. */
export type DocsTree = { start: DocsPage; guides: DocsPage[]; reference: DocsPage[]; groups: DocsSection[] }

/** What is read before a page and after it. */
export type PagesAround = { before?: DocsPage; after?: DocsPage }

/** A place in the documentation. `snippet` has the words that were looked for, where they are not in the title. */
export type Found = { title: string; place: string; href: string; snippet?: string }

/** Languages in which a program is shown side by side with others, by the mark of their fences. */
export const SAMPLE_LANGUAGES = { sh: 'curl', ts: 'TypeScript', python: 'Python' } as const

export type SampleLanguage = keyof typeof SAMPLE_LANGUAGES

/** A whole program that sends a request. */
export type Sample = { language: SampleLanguage; code: string }

export const isSampleLanguage = (mark: string | undefined): mark is SampleLanguage =>
  mark !== undefined && Object.hasOwn(SAMPLE_LANGUAGES, mark)

/** What a value may be, in words, and what is inside it. */
export type Shape = {
  /** `string`, `array of objects`; the name of a component that is described elsewhere. */
  type: string
  /** Bounds, each as `0 to 2` or `at most 256 characters`. */
  rules: string[]
  /** The only values there are. */
  choices: string[]
  /** Of an object, or of the objects of a list. */
  fields: Field[]
  /** The forms of a value that may be several things with fields. */
  forms: Form[]
  /** The component that is described elsewhere. */
  component?: string
  /** It may be `null`. */
  isNullable?: true
}

export type Field = Shape & {
  name: string
  isRequired: boolean
  about?: string
  /** What it is when it is left out, as JSON. */
  initial?: string
}

/** `label` is what tells a form from the others, such as `type: "text"`. */
export type Form = Shape & { label: string }

/** A shape with a name of its own. */
export type NamedShape = { name: string; shape: Shape }

/** Where components are described that others only name: their pages, by name. */
export type Homes = ReadonlyMap<string, string>

/**
 * Whose credentials are asked for. `paid`: any API key, a wallet's proof, or a payment. `key`: any API key. `admin`: an ADMIN
 * key. `wallet`: the proof of the wallet in the path. `optional`: a key narrows the answer. `none`: what is sent is ignored.
 */
export type Access = 'paid' | 'key' | 'admin' | 'wallet' | 'optional' | 'none'

export type DocumentedOperation = {
  slug: string
  href: string
  id: string
  group: { name: string; href: string }
  method: string
  /** Below the base path, parameters in braces. */
  path: string
  summary: string
  about?: string
  isDeprecated: boolean
  access: Access
  parameters: ParameterList[]
  body?: DocumentedBody
  replies: DocumentedReply[]
  /** Headers of the replies, by name. */
  headers: string[]
  errors: DocumentedError[]
}

export type ParameterList = { place: 'path' | 'query' | 'header'; fields: Field[] }
export type DocumentedBody = { isOptional: boolean; forms: { type: string; shape: Shape; isClosed: boolean }[] }

/** One form of a 200. `shape` is missing where it is text or bytes; `example` is JSON or text. */
export type DocumentedReply = { type: string; shape?: Shape; about?: string; example?: string }

export type DocumentedError = {
  status: number
  name: string
  codes: string[]
  /** Shapes that operations share, by name. */
  shared: string[]
  /** Shapes that only this operation and its like have. */
  own: NamedShape[]
}

/** What a request costs, and how often it may be sent. In Markdown. */
export type Terms = { price: string; limit: string }

/** A code of an error, the statuses that it comes with, and in Markdown what to do about it. */
export type DocumentedCode = { code: string; statuses: { status: number; name: string }[]; words: string }

export type DocumentedHeader = { name: string; type: string; about: string }
