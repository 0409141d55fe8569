import { createHash } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLocalServer } from '@/lib/kernel/testing/local-server'

/**
 * A hub on loopback in the shapes of huggingface.co: model info, tree with pages, resolve with a redirect to a content
 * host, ranges, checksums of large file storage, gated and private repositories.
 */
export type HubRepository = {
  files: Record<string, Buffer>
  license?: string
  gated?: 'auto' | 'manual'
  isPrivate?: boolean
  /** States another checksum than the file's: of all, or of those that are in no large file storage. */
  hasWrongChecksums?: boolean | 'small files'
}

export type HubOptions = {
  token?: string
  /** Files on each page of the tree. */
  pageSize?: number
  /** Where the content host is: the hub itself, or another port, as on the real hub. */
  content?: 'same' | 'other'
  /** Sends content in pieces of so many bytes, with a pause after each. */
  pace?: { bytes: number; pauseMs: number }
  /** Sends so many bytes of each range and then nothing. */
  stallsAfterBytes?: number
  /** Ends the connection after so many bytes of each of the first `cutTimes` replies. */
  cutsAfterBytes?: number
  cutTimes?: number
  ignoresRanges?: boolean
  /** Answers every request itself. */
  answer?: RequestListener
}

export const jsonFile = (value: object) => Buffer.from(JSON.stringify(value))

/** The files of a speech model whose networks are none. */
export const SPEECH_FILES = {
  'config.json': jsonFile({ model_type: 'whisper' }),
  'generation_config.json': jsonFile({ eos_token_id: 3 }),
  'tokenizer.json': jsonFile({ model: { type: 'BPE', vocab: {}, merges: [] } }),
  'tokenizer_config.json': jsonFile({}),
  'onnx/encoder_model_quantized.onnx': Buffer.from('\x08not a network'),
  'onnx/decoder_model_merged_quantized.onnx': Buffer.from('\x08nor is this'),
}

const SHA = 'c1899de289a04d12100db370d81485cdf75e47ca'

export async function startHub(repositories: Record<string, HubRepository>, options: HubOptions = {}) {
  const contents = new Map<string, Buffer>()
  for (const { files } of Object.values(repositories)) {
    for (const bytes of Object.values(files)) contents.set(sha256(bytes), bytes)
  }
  const requests: { path: string; range?: string; authorization?: string }[] = []
  const served = { bytes: 0, cuts: 0, open: 0 }
  const content =
    options.content === 'other'
      ? await startLocalServer((request, response) => void serve(request, response))
      : undefined
  const hub = await startLocalServer((request, response) => {
    note(request)
    if (options.answer) return options.answer(request, response)
    if (request.url!.startsWith('/content/')) return void serve(request, response, true)
    return answer(request, response)
  })

  function note({ url, headers }: IncomingMessage): void {
    requests.push({ path: url!, range: headers.range, authorization: headers.authorization })
  }

  function answer(request: IncomingMessage, response: ServerResponse): unknown {
    const url = new URL(request.url!, hub.origin)
    const isKnown = options.token !== undefined && request.headers.authorization === `Bearer ${options.token}`
    const api = /^\/api\/models\/([^/]+\/[^/]+)(?:\/tree\/([^/]+))?$/.exec(url.pathname)
    const file = /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(url.pathname)
    const name = api?.[1] ?? file?.[1] ?? ''
    const found = repositories[name]
    if (!found || (found.isPrivate && !isKnown)) {
      response.setHeader('x-error-code', 'RepoNotFound')
      return json(response, isKnown ? 404 : 401, {
        error: isKnown ? 'Repository not found' : 'Invalid username or password.',
      })
    }
    if (api?.[2]) return tree(url, response, name, found)
    if (api) {
      return json(response, 200, {
        _id: '67a1c2f3e4b5a6978877665',
        id: name,
        modelId: name,
        author: name.split('/')[0],
        sha: SHA,
        lastModified: '2026-05-21T06:05:48.000Z',
        private: found.isPrivate ?? false,
        gated: found.gated ?? false,
        disabled: false,
        tags: ['gguf', 'text-generation', ...(found.license ? [`license:${found.license}`] : [])],
        pipeline_tag: 'text-generation',
        cardData: found.license ? { license: found.license } : {},
        siblings: Object.keys(found.files).map((rfilename) => ({ rfilename })),
      })
    }
    const bytes = file && found.files[decodeURIComponent(file[3]!)]
    if (!bytes) {
      response.setHeader('x-error-code', 'EntryNotFound')
      return json(response, 404, { error: 'Entry not found' })
    }
    if (found.gated && !isKnown) {
      response.setHeader('x-error-code', 'GatedRepo')
      return json(response, 401, {
        error: `Access to model ${name} is restricted. You must have access to it and be authenticated to access it.`,
      })
    }
    response.setHeader('x-repo-commit', SHA)
    response.setHeader('x-linked-size', bytes.length)
    response.setHeader('x-linked-etag', `"${sha256(bytes)}"`)
    response.writeHead(302, { location: `${content?.origin ?? ''}/content/${sha256(bytes)}?X-Amz-Signature=00` }).end()
  }

  function tree(url: URL, response: ServerResponse, name: string, { files, hasWrongChecksums }: HubRepository): void {
    const all = Object.entries(files).map(([path, bytes]) => ({
      type: 'file',
      oid: gitSha1(hasWrongChecksums ? Buffer.from(path) : bytes),
      size: bytes.length,
      ...(/\.(gguf|safetensors|onnx)$/.test(path) && {
        lfs: {
          oid: sha256(hasWrongChecksums === true ? Buffer.from(path) : bytes),
          size: bytes.length,
          pointerSize: 134,
        },
      }),
      path,
    }))
    const from = Number(url.searchParams.get('cursor') ?? 0)
    const to = from + (options.pageSize ?? 1_000)
    if (to < all.length) {
      response.setHeader(
        'link',
        `<${hub.origin}/api/models/${name}/tree/${SHA}?recursive=true&cursor=${to}>; rel="next"`,
      )
    }
    json(response, 200, all.slice(from, to))
  }

  async function serve(request: IncomingMessage, response: ServerResponse, isNoted = false): Promise<void> {
    if (!isNoted) note(request)
    // A signed address takes no other credentials, as on the real content host.
    if (content && request.headers.authorization) return void response.writeHead(400).end()
    const bytes = contents.get(/\/content\/([0-9a-f]+)/.exec(request.url!)?.[1] ?? '')
    if (!bytes) return void response.writeHead(404).end()
    const range = options.ignoresRanges ? undefined : /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
    const start = Number(range?.[1] ?? 0)
    const end = Math.min(bytes.length, range?.[2] ? Number(range[2]) + 1 : bytes.length)
    if (range) response.setHeader('content-range', `bytes ${start}-${end - 1}/${bytes.length}`)
    response.writeHead(range ? 206 : 200, { 'content-length': end - start, etag: `"${sha256(bytes)}"` })
    served.open++
    await send(bytes.subarray(start, end), response).finally(() => served.open--)
  }

  async function send(bytes: Buffer, response: ServerResponse): Promise<void> {
    const { pace, stallsAfterBytes, cutsAfterBytes, cutTimes = 0 } = options
    const isCut = cutsAfterBytes !== undefined && served.cuts < cutTimes && bytes.length > cutsAfterBytes
    if (isCut) served.cuts++
    const limit = stallsAfterBytes ?? (isCut ? cutsAfterBytes : bytes.length)
    const step = pace?.bytes ?? bytes.length
    for (let at = 0; at < Math.min(limit, bytes.length) && !response.destroyed; at += step) {
      const piece = bytes.subarray(at, Math.min(at + step, limit))
      response.write(piece)
      served.bytes += piece.length
      if (pace) await sleep(pace.pauseMs)
    }
    if (isCut) return void setTimeout(() => response.destroy(), 20)
    if (limit >= bytes.length) response.end()
  }

  return {
    origin: hub.origin,
    contentOrigin: content?.origin,
    requests,
    served,
    options,
    close: async () => {
      await Promise.all([hub.close(), content?.close()])
    },
  }
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(value))
}

/** As git names a file's contents. */
const gitSha1 = (bytes: Buffer): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
