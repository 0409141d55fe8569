import 'server-only'
import { createHash } from 'node:crypto'
import { stringify } from 'yaml'
import { openApiDocument } from '@/lib/endpoints/docs/openapi/document'
import type { Reply } from '@/lib/pipeline/reply'

export type DocumentForm = 'yaml' | 'json'

const CACHE = 'public, max-age=300'
const TAG_CHARACTERS = 22
const TYPES: Record<DocumentForm, string> = { yaml: 'application/yaml; charset=utf-8', json: 'application/json' }
const WRITERS: Record<DocumentForm, (document: unknown) => string> = {
  yaml: (document) => stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }),
  json: (document) => JSON.stringify(document),
}

const written = new Map<DocumentForm, { text: string; tag: string }>()

/** Serves the OpenAPI document as a file; 304 for a matching ETag. */
export function documentReply(form: DocumentForm, headers: Headers): Reply {
  const { text, tag } = fileOf(form)
  const cache = { ETag: tag, 'Cache-Control': CACHE, Vary: 'Accept-Encoding' }
  if (hasTag(headers.get('if-none-match'), tag)) return { status: 304, body: null, headers: cache }
  return { body: text, contentType: TYPES[form], headers: cache, isCompressible: true }
}

function fileOf(form: DocumentForm): { text: string; tag: string } {
  const known = written.get(form)
  if (known) return known
  const text = WRITERS[form](openApiDocument())
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, TAG_CHARACTERS)
  // Weak: the same tag is on the file and on each of its compressed forms.
  const made = { text, tag: `W/"${hash}"` }
  written.set(form, made)
  return made
}

const hasTag = (sent: string | null, tag: string): boolean =>
  sent?.split(',').some((one) => ['*', tag, tag.slice('W/'.length)].includes(one.trim())) === true
