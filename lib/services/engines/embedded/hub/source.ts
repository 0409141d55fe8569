/** What `models pull` accepts. Child processes import this file, so it uses no path aliases. */
import path from 'node:path'
import { EngineError } from '../../engine.ts'

export type ModelSource = Place & {
  /** What the model's file must have, in hex. */
  sha256?: string
}

type Place =
  | { type: 'hub'; repository: string; quantization?: string; file?: string }
  | { type: 'url'; url: string }
  | { type: 'file'; path: string }

const MAX_SOURCE_CHARS = 2_000
const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,95}\/[A-Za-z0-9][A-Za-z0-9._-]{0,95}$/
const CHECKSUM = /#sha256=([^#]*)$/i
const FORMS = 'Use hf:OWNER/REPO, hf:OWNER/REPO:QUANTIZATION, the URL of a GGUF file or the path of one.'

/**
 * Reads a source as an operator writes it. Addresses of Hugging Face pages are sources of the hub, too. Any of them may end
 * with `#sha256=` and the checksum of the file.
 *
 * @throws EngineError `invalid-request`; its message says what is accepted.
 */
export function parseSource(text: string): ModelSource {
  const given = text.trim()
  if (given === '' || given.length > MAX_SOURCE_CHARS || /\p{Cc}/u.test(given)) throw refused('No model is named.')
  const sha256 = CHECKSUM.exec(given)?.[1]?.toLowerCase()
  if (sha256 === undefined) return placeOf(given)
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw refused('A SHA-256 checksum has 64 characters, 0 to 9 and a to f.')
  return { ...placeOf(given.replace(CHECKSUM, '')), sha256 }
}

function placeOf(given: string): Place {
  if (given.startsWith('hf:')) return hubSource(given.slice('hf:'.length))
  if (!/^https?:/i.test(given)) {
    if (/^[a-z][a-z0-9+.-]+:\/\//i.test(given)) throw refused('Models are downloaded over http and https only.')
    if (!/\.gguf$/i.test(given)) throw refused(`${given} is not the path of a GGUF file.`)
    return { type: 'file', path: path.resolve(given) }
  }
  const url = URL.parse(given)
  if (!url) throw refused(`${given} is not a URL.`)
  if (url.username || url.password) throw refused('The URL must hold no user name or password.')
  if (['huggingface.co', 'www.huggingface.co', 'hf.co'].includes(url.hostname)) return pageSource(url)
  url.hash = ''
  return { type: 'url', url: url.href }
}

/** Writes a source as `parseSource` reads it. */
export function formatSource(source: ModelSource): string {
  return source.sha256 === undefined ? formatPlace(source) : `${formatPlace(source)}#sha256=${source.sha256}`
}

/** Writes a source without its checksum. */
export function formatPlace(source: Place): string {
  if (source.type === 'url') return source.url
  if (source.type === 'file') return source.path
  if (source.file !== undefined) return `hf:${source.repository}/${source.file}`
  return `hf:${source.repository}${source.quantization === undefined ? '' : `:${source.quantization}`}`
}

/** Tells whether an installed model is what a source names: without a quantization any of the repository's is. */
export function isFromSource(installed: string, wanted: ModelSource): boolean {
  if (installed === formatPlace(wanted)) return true
  const isWhole = wanted.type === 'hub' && wanted.quantization === undefined && wanted.file === undefined
  return isWhole && installed.startsWith(`${formatPlace(wanted)}:`)
}

function hubSource(text: string): Place {
  const [owner = '', rest = '', ...folders] = text.replace(/^\/+/, '').split('/')
  const file = folders.join('/')
  const [name = '', ...tag] = rest.split(':')
  const repository = `${owner}/${name}`
  if (!REPOSITORY.test(repository)) throw refused(`hf:${text} does not name a repository.`)
  if (file !== '') {
    if (tag.length > 0 || !/\.gguf$/i.test(file) || file.split('/').some((part) => part === '..' || part === '')) {
      throw refused(`hf:${text} does not name a GGUF file of a repository.`)
    }
    return { type: 'hub', repository, file }
  }
  const quantization = tag.join(':').toUpperCase()
  if (tag.length === 0) return { type: 'hub', repository }
  if (!/^[A-Z0-9][A-Z0-9_.-]{0,39}$/.test(quantization)) throw refused(`hf:${text} does not name a quantization.`)
  return { type: 'hub', repository, quantization }
}

/** `/OWNER/REPO`, or a file's page or download: `/OWNER/REPO/(blob|resolve)/main/FILE`. */
function pageSource(url: URL): Place {
  const [, owner, name, view, revision, ...file] = url.pathname.split('/').map(decoded)
  if ((view === 'blob' || view === 'resolve') && revision === 'main' && file.length > 0) {
    return hubSource(`${owner}/${name}/${file.join('/')}`)
  }
  if (view === undefined || view === '' || view === 'tree') return hubSource(`${owner}/${name}`)
  return { type: 'url', url: url.href }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const refused = (why: string): EngineError => new EngineError('invalid-request', `${why} ${FORMS}`)
