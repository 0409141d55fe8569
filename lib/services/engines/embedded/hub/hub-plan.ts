/**
 * Asks a hub, or the server of a URL, what there is to download. Shapes: the API of huggingface.co and its mirrors
 * (https://huggingface.co/docs/hub/api). Runs in the download process.
 */
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { EngineError } from '../../engine.ts'
import { readUpTo } from '../../upstream/wire-value.ts'
import { type Http, type HttpReply, Unreachable } from './http.ts'
import {
  chooseOnnxVariant,
  chooseProjector,
  chooseVariant,
  type OnnxKind,
  onnxKindOf,
  partNames,
  quantizationOf,
  type RepositoryFile,
  splitOf,
} from './repository-files.ts'
import { formatPlace, type ModelSource } from './source.ts'

const MAX_REPLY_BYTES = 20_000_000
const MAX_PAGES = 50

/** What a file is, by its first bytes: a page in its place is refused before the rest arrives. */
export const FIRST_BYTES = { GGUF: 'GGUF', ONNX: '\x08', JSON: '{', TEXT: '' }
export type FileForm = keyof typeof FIRST_BYTES

export type PlannedFile = {
  name: string
  form: FileForm
  /** An address, or the path of a file on this machine. */
  from: string
  sizeBytes: number
  sha256?: string
  /** Of a small file, which the hub keeps in git: the hash of git's object. */
  gitSha1?: string
  /** Changes when the file's content does: parts of one are not completed with another. */
  identity: string
}

export type PullPlan = {
  id: string
  source: string
  quantization?: string
  page?: string
  revision?: string
  license?: string
  files: PlannedFile[]
  /** The one of the files that reads images. */
  projector?: string
  /** Its files are ONNX, with the names that `repository-files.ts` gives them. */
  onnx?: OnnxKind
}

export type Hub = { endpoint: string; token?: string }

/** With `seesImages` a projector of images comes along. */
type Asked = Hub & { seesImages: boolean }

const ModelInfo = z.object({
  sha: z.string().regex(/^[0-9a-f]{7,64}$/),
  gated: z.union([z.boolean(), z.string()]).optional(),
  cardData: z.object({ license: z.unknown(), license_name: z.unknown() }).partial().nullish(),
  tags: z.array(z.string()).optional(),
})

const Tree = z.array(
  z.object({
    type: z.string(),
    path: z.string(),
    size: z.int().min(0).optional(),
    oid: z.string().optional(),
    lfs: z.object({ oid: z.string(), size: z.int().min(0) }).nullish(),
  }),
)

/** @throws EngineError with a sentence for the operator; Unreachable where another attempt may succeed. */
export async function planPull(source: ModelSource, hub: Asked, http: Http, signal: AbortSignal): Promise<PullPlan> {
  const plan = await planOf(source, hub, http, signal)
  return source.sha256 === undefined ? plan : withChecksum(plan, source.sha256)
}

/** @throws EngineError `invalid-request` where the model has several files, or the hub states another checksum. */
function withChecksum(plan: PullPlan, sha256: string): PullPlan {
  const [model, ...others] = plan.files as [PlannedFile, ...PlannedFile[]]
  if (others.some(({ name }) => name !== plan.projector)) {
    throw new EngineError(
      'invalid-request',
      `A checksum is for a model of one file, and this one has ${plan.files.length}. Leave the checksum out.`,
    )
  }
  if (model.sha256 !== undefined && model.sha256 !== sha256) {
    throw new EngineError(
      'invalid-request',
      `The hub states another checksum for ${model.name}: ${model.sha256}. Check which file you want.`,
    )
  }
  return { ...plan, files: [{ ...model, sha256 }, ...others] }
}

async function planOf(source: ModelSource, hub: Asked, http: Http, signal: AbortSignal): Promise<PullPlan> {
  if (source.type === 'hub') return await hubPlan(source, hub, http, signal)
  const origins = partNames(source.type === 'url' ? new URL(source.url).pathname : source.path)
  const files: PlannedFile[] = []
  for (const part of origins) {
    files.push(
      source.type === 'url'
        ? await urlFile(new URL(part, source.url), source.url, http, signal)
        : await localFile(part),
    )
  }
  const base = path.basename(origins[0]!)
  return {
    id: modelIdOf(stemOf(base)),
    source: formatPlace(source),
    quantization: quantizationOf(base),
    files: files.map((file) => ({ ...file, name: safeName(file.name) })),
  }
}

async function hubPlan(
  source: Extract<ModelSource, { type: 'hub' }>,
  hub: Asked,
  http: Http,
  signal: AbortSignal,
): Promise<PullPlan> {
  const { repository } = source
  const page = `${hub.endpoint}/${repository}`
  const ask = (address: string) => askJson(address, { repository, hub, http, signal })
  const { value, host } = await ask(`${hub.endpoint}/api/models/${repository}`)
  const info = shaped(ModelInfo, value, host)
  if (info.gated && hub.token === undefined) throw gated(repository, hub)
  const files = await listFiles(`${hub.endpoint}/api/models/${repository}/tree/${info.sha}?recursive=true`, ask, hub)
  const planned = (
    { path: place, sizeBytes, sha256, gitSha1 }: RepositoryFile,
    name = safeName(path.posix.basename(place)),
  ): PlannedFile => ({
    name,
    form: formOf(place),
    from: `${page}/resolve/${info.sha}/${place.split('/').map(encodeURIComponent).join('/')}`,
    sizeBytes,
    sha256,
    gitSha1,
    identity: sha256 ?? `${info.sha} ${sizeBytes}`,
  })
  const common = { page, revision: info.sha, license: licenseOf(info) }
  const repositoryName = repository.split('/')[1]
  const onnx = files.some(({ path: place }) => formOf(place) === 'GGUF') ? undefined : onnxKindOf(files)
  if (onnx) {
    const { quantization, files: chosen } = chooseOnnxVariant(onnx, files, source)
    return {
      ...common,
      id: modelIdOf(`${repositoryName}-${quantization}`),
      source: formatPlace({ ...source, quantization }),
      quantization,
      files: chosen.map(([name, file]) => planned(file, name)),
      onnx,
    }
  }
  const variant = chooseVariant(files, source)
  // Who names a file wants that file.
  const projector = hub.seesImages && source.file === undefined ? chooseProjector(files) : undefined
  const quantization = variant.quantization || undefined
  return {
    ...common,
    id: modelIdOf(isTelling(variant.name) ? variant.name : `${repositoryName}-${quantization ?? 'gguf'}`),
    source: formatPlace(source.file === undefined ? { ...source, quantization } : source),
    quantization,
    files: [...variant.files, ...(projector ? [projector] : [])].map((file) => planned(file)),
    ...(projector && { projector: planned(projector).name }),
  }
}

function formOf(name: string): FileForm {
  if (/\.gguf$/i.test(name)) return 'GGUF'
  if (name.endsWith('.jinja')) return 'TEXT'
  return name.endsWith('.onnx') ? 'ONNX' : 'JSON'
}

type Ask = (address: string) => Promise<{ value: unknown; host: string; next?: string }>

async function listFiles(address: string, ask: Ask, hub: Hub): Promise<RepositoryFile[]> {
  const files: RepositoryFile[] = []
  let next: string | undefined = address
  for (let page = 0; next !== undefined && page < MAX_PAGES; page++) {
    const reply: Awaited<ReturnType<Ask>> = await ask(next)
    for (const { type, path: name, size, oid, lfs } of shaped(Tree, reply.value, reply.host)) {
      if (type !== 'file') continue
      const sha256 = lfs && /^[0-9a-f]{64}$/.test(lfs.oid) ? lfs.oid : undefined
      const gitSha1 = !lfs && oid && /^[0-9a-f]{40}$/.test(oid) ? oid : undefined
      files.push({ path: name, sizeBytes: lfs?.size ?? size ?? 0, sha256, gitSha1 })
    }
    // A mirror passes on addresses of the hub that it mirrors.
    const following = reply.next === undefined ? undefined : URL.parse(reply.next, address)
    next = following
      ? `${hub.endpoint}${following.pathname.replace(/^.*(?=\/api\/models\/)/, '')}${following.search}`
      : undefined
  }
  return files
}

type Asking = { repository: string; hub: Hub; http: Http; signal: AbortSignal }

async function askJson(address: string, { repository, hub, http, signal }: Asking) {
  const reply = await http.get(address, { accept: 'application/json' }, signal)
  const text = await readText(reply, http)
  if (reply.status !== 200) throw refusalOf(reply, repository, hub)
  try {
    const next = /<([^>]+)>\s*;\s*rel="?next"?/.exec(reply.headers.link ?? '')?.[1]
    return { value: JSON.parse(text) as unknown, host: reply.host, next }
  } catch {
    throw noHub(reply.host, hub)
  }
}

async function readText({ body, host }: HttpReply, http: Http): Promise<string> {
  const tooLong = () => new EngineError('failed', `${host} answers with more than a list of files.`)
  try {
    return (await readUpTo(body, MAX_REPLY_BYTES, tooLong)).toString('utf8')
  } catch (error) {
    throw http.failureOf(host, error)
  }
}

function shaped<Schema extends z.ZodType>(schema: Schema, value: unknown, host: string): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new EngineError('failed', `${host} answers in a form that is not the hub's. Check HF_ENDPOINT.`)
}

/** Turns a status of the hub into a sentence for the operator, or Unreachable where another attempt may succeed. */
export function refusalOf({ status, headers, first, host }: HttpReply, repository: string, hub: Hub): Error {
  const code = headers['x-error-code'] ?? first['x-error-code']
  if (status === 429 || status >= 500) return new Unreachable(`${host} answers with status ${status}`)
  if (code === 'GatedRepo') return gated(repository, hub)
  if (status === 401 && hub.token !== undefined) {
    return new EngineError(
      'invalid-request',
      `${host} does not accept HF_TOKEN, or ${repository} is not there. Check both.`,
    )
  }
  // The hub does not tell a stranger whether a repository is private or not there.
  if (status === 401 || status === 404 || code === 'RepoNotFound') {
    return new EngineError(
      'invalid-request',
      `There is no model ${repository} on ${new URL(hub.endpoint).host}. Check its name; if it is private, set HF_TOKEN to a token that may read it.`,
    )
  }
  if (status === 403) return gated(repository, hub)
  return new EngineError('failed', `${host} answers with status ${status}. Try again later.`)
}

function gated(repository: string, { endpoint, token }: Hub): EngineError {
  const then =
    token === undefined
      ? 'then set HF_TOKEN to a token of that account and try again.'
      : 'with the account of HF_TOKEN, whose token must be allowed to read gated repositories.'
  return new EngineError(
    'invalid-request',
    `${repository} is gated. Accept its license at ${endpoint}/${repository}, ${then}`,
  )
}

const noHub = (host: string, { endpoint }: Hub): EngineError =>
  new EngineError(
    'failed',
    `${host} answers with a page instead of data, so it is no hub, or something in between answers for it. HF_ENDPOINT is ${endpoint}.`,
  )

async function urlFile(url: URL, given: string, http: Http, signal: AbortSignal): Promise<PlannedFile> {
  url.search = new URL(given).search
  const reply = await http.get(url.href, { range: 'bytes=0-3' }, signal)
  const head = await readHead(reply, http)
  if (reply.status !== 200 && reply.status !== 206) {
    if (reply.status === 429 || reply.status >= 500)
      throw new Unreachable(`${reply.host} answers with status ${reply.status}`)
    throw new EngineError(
      'invalid-request',
      `${url.href} cannot be downloaded: ${reply.host} answers with status ${reply.status}.`,
    )
  }
  if (head.toString('latin1') !== FIRST_BYTES.GGUF) throw wrongForm(url.href, 'GGUF')
  const total = reply.status === 206 ? reply.headers['content-range']?.split('/')[1] : reply.headers['content-length']
  const sizeBytes = Number(total)
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes <= 0) {
    throw new EngineError(
      'invalid-request',
      `${reply.host} does not state how large ${url.href} is, so it cannot be downloaded.`,
    )
  }
  const version = reply.headers.etag ?? reply.headers['last-modified'] ?? ''
  const name = path.posix.basename(url.pathname)
  return {
    name: decodeURIComponent(name),
    form: 'GGUF',
    from: url.href,
    sizeBytes,
    identity: `${version} ${sizeBytes}`,
  }
}

async function readHead({ body }: HttpReply, http: Http): Promise<Buffer> {
  let head = Buffer.alloc(0)
  try {
    for await (const chunk of body) {
      head = Buffer.concat([head, chunk])
      if (head.length >= FIRST_BYTES.GGUF.length) break
    }
  } catch (error) {
    throw http.failureOf('The server', error)
  } finally {
    body.destroy()
  }
  return head.subarray(0, FIRST_BYTES.GGUF.length)
}

export const wrongForm = (name: string, form: FileForm): EngineError =>
  new EngineError(
    'invalid-request',
    `${name} is not ${form === 'ONNX' ? 'an' : 'a'} ${form} file: its first bytes are not those of one.`,
  )

async function localFile(file: string): Promise<PlannedFile> {
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile()) throw new EngineError('invalid-request', `There is no file ${file}, or it cannot be read.`)
  const identity = `${found.mtimeMs} ${found.size}`
  return { name: path.basename(file), form: 'GGUF', from: file, sizeBytes: found.size, identity }
}

function licenseOf({ cardData, tags = [] }: z.output<typeof ModelInfo>): string | undefined {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const license = text([cardData?.license].flat()[0])
  const tagged = tags.find((tag) => tag.startsWith('license:'))?.slice('license:'.length)
  const named = license === 'other' || license === undefined ? text(cardData?.license_name) : undefined
  return (named ?? license ?? tagged)?.slice(0, 100)
}

const stemOf = (name: string): string => splitOf(name)?.base ?? name.replace(/\.gguf$/i, '')

/** Names such as `ggml-model-Q4_K_M` say nothing of the model. */
const isTelling = (name: string): boolean => !/^(ggml-)?model\b|^ggml-model/i.test(name) && /[a-z]{3}/i.test(name)

function modelIdOf(name: string): string {
  const id = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 100)
  return id === '' ? `model-${createHash('sha256').update(name).digest('hex').slice(0, 8)}` : id
}

/** A split file keeps the ending by which a runtime finds its other parts. */
function safeName(name: string): string {
  const ending = /(-\d{5}-of-\d{5})?\.gguf$/i.exec(name)?.[0] ?? ''
  const stem = name
    .slice(0, name.length - ending.length)
    .replace(/[^A-Za-z0-9._+-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
  return `${stem.slice(0, 150) || 'model'}${ending.toLowerCase()}`
}
