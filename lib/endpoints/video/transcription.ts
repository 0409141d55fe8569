import 'server-only'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { MAX_FILE_BYTES, MAX_VIDEO_SECONDS } from '@/lib/contract/limits'
import type { VideoTranscriptionRequest } from '@/lib/contract/video.schema'
import { WHOLE_REPLY_DEADLINE_MS } from '@/lib/kernel/deadlines'
import { type Caller, type RequestContext, requestIdOf } from '@/lib/kernel/request-context'
import { type Fetched, FetchRefused, safeFetch } from '@/lib/kernel/safe-fetch/safe-fetch'
import { busyError } from '@/lib/pipeline/error-response'
import type { Quote } from '@/lib/pipeline/metered'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import { transcriptionEngineOf } from '@/lib/services/engines/transcription-engine'
import { type Meter, priceOf } from '@/lib/services/ledger/meter'
import { MediaError } from '@/lib/services/media/media-error'
import { withMemoryAndDeadline } from '@/lib/services/media/memory-budget'
import { type DecodedAudio, decodeAudio, readVideo, wavOf } from '@/lib/services/media/recording'
import { sniffAudio, videoKind } from '@/lib/services/media/sniff'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'
import { secondLines } from '@/lib/services/models/type-parts'

const MAX_CAPTION_BYTES = 2_000_000

export type TranscriptionWork = VideoTranscriptionRequest & { model: Model }
export type Transcript = { transcript: string; lang?: string }

/** Prices the longest video that is read; a page's own captions are free. */
export function quoteTranscription(
  body: VideoTranscriptionRequest,
  caller: Caller,
  context: RequestContext,
): Quote<TranscriptionWork> {
  const model = resolveModel('default', { type: 'asr', caller, context })
  return {
    requestId: requestIdOf(context, caller, 'video-asr'),
    model,
    amount: priceOf(secondLines(model, MAX_VIDEO_SECONDS)),
    work: { ...body, model },
  }
}

/** Fetches a video, or the page that shows one, and transcribes it. Failures are free. */
export const runTranscription = (
  { url, model }: TranscriptionWork,
  meter: Meter,
  _context: RequestContext,
  left: AbortSignal,
): Promise<Transcript> =>
  withMemoryAndDeadline(
    { accountId: meter.hold.accountId, left, timeoutError, toCallerError },
    async (memory, signal) => {
      const first = await fetchMedia(url, signal)
      memory.reserve(first.bytes.length)
      const page = isPage(first) ? findMedia(Buffer.from(first.bytes).toString('utf8'), first.url) : undefined
      if (page?.captions) {
        const { url: address, language } = page.captions
        const file = await safeFetch(address, { maxBytes: MAX_CAPTION_BYTES, signal })
        const transcript = captionText(Buffer.from(file.bytes).toString('utf8'))
        if (transcript !== '') return { transcript, lang: language || undefined }
      }
      if (page && !page.video) throw invalidField(['url'], 'shows no video file and no captions that can be read')
      const video = page?.video ? await fetchMedia(page.video, signal) : first
      if (video !== first) memory.reserve(video.bytes.length)
      const audio = await audioOf(video.bytes, signal)
      const heard = await hear(model, audio, signal)
      meter.readWith(() => ({ lines: secondLines(model, audio.seconds), modelId: model.id, modelType: 'ASR' }))
      return heard
    },
  )

export async function renderTranscription(output: Promise<Transcript>, work: TranscriptionWork): Promise<Reply> {
  const transcript = await output
  if (work.response_format === 'json') return jsonReply(transcript, { isCompressible: true })
  return { body: transcript.transcript, contentType: 'text/plain; charset=utf-8', isCompressible: true }
}

const fetchMedia = (url: string, signal: AbortSignal): Promise<Fetched> =>
  safeFetch(url, { maxBytes: MAX_FILE_BYTES, signal })

const isPage = ({ mime, bytes }: Fetched): boolean =>
  /^(text\/html|application\/xhtml\+xml)$/.test(mime) && !videoKind(bytes) && !sniffAudio(bytes)

async function audioOf(bytes: Uint8Array, signal: AbortSignal): Promise<DecodedAudio> {
  if (videoKind(bytes)) {
    const { sound: audio } = await readVideo(bytes, { frames: 1, hasSound: true, signal })
    if (audio) return audio
    throw invalidField(['url'], 'is a video without sound')
  }
  if (sniffAudio(bytes)) return await decodeAudio(bytes, 'wav', { signal })
  throw invalidField(['url'], 'is neither a video that can be read nor a page that shows one')
}

async function hear(model: Model, audio: DecodedAudio, signal: AbortSignal): Promise<Transcript> {
  const file = { bytes: new Uint8Array(wavOf(audio)), name: 'video.wav', type: 'audio/wav' }
  const request = { model: model.upstreamModel, sound: audio.samples, file, wantsTimes: false }
  const { text, language } = await transcriptionEngineOf(model.engine).recognise(request, signal)
  return { transcript: text, lang: language === 'english' ? 'en' : language || undefined }
}

const timeoutError = (): ApiError =>
  new ApiError(
    'REQUEST_TIMEOUT',
    `The transcription took longer than ${WHOLE_REPLY_DEADLINE_MS / 1_000} s. Send a shorter video.`,
  )

function toCallerError(error: unknown): unknown {
  if (error instanceof FetchRefused) {
    return invalidField(['url'], `cannot be fetched: ${error.message}`)
  }
  if (!(error instanceof MediaError)) return error
  if (error.reason !== 'busy' && error.reason !== 'unavailable')
    return invalidField(['url'], `cannot be read: ${error.message}`)
  return busyError(error)
}

type PageMedia = { captions?: { url: string; language?: string }; video?: string }

// The tags that describe a video stand at the beginning.
const MAX_PAGE_CHARACTERS = 2_000_000
const MAX_TAGS = 500
const TAG = /<(track|video|source|meta)\b([^>]{0,4000})>/gi
const ATTRIBUTE = /([a-z:_-]{1,40})\s*=\s*("([^"]{0,3000})"|'([^']{0,3000})')/gi
const VIDEO_META: ReadonlySet<string | undefined> = new Set(['og:video', 'og:video:url', 'og:video:secure_url'])

/** Finds caption tracks and video files in a page. Addresses are made absolute; others than http(s) are left out. */
export function findMedia(html: string, pageUrl: string): PageMedia {
  const found: PageMedia = {}
  const tags = html.slice(0, MAX_PAGE_CHARACTERS).matchAll(TAG)
  let count = 0
  for (const [, name = '', text = ''] of tags) {
    if (++count > MAX_TAGS) break
    const attributes = attributesOf(text)
    const tag = name.toLowerCase()
    if (tag === 'track' && /^(captions|subtitles)$/.test(attributes.get('kind') ?? 'subtitles')) {
      const url = absolute(attributes.get('src'), pageUrl)
      if (url) found.captions ??= { url, language: attributes.get('srclang') }
    } else if (tag === 'video' || (tag === 'source' && /^video\//.test(attributes.get('type') ?? 'video/'))) {
      found.video ??= absolute(attributes.get('src'), pageUrl)
    } else if (tag === 'meta' && VIDEO_META.has(attributes.get('property'))) {
      found.video ??= absolute(attributes.get('content'), pageUrl)
    }
  }
  return found
}

/** Returns the words of a WebVTT or SubRip file, without times, cue names and repeated lines. */
export function captionText(file: string): string {
  const lines = file
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.replace(/<[^>]{0,200}>/g, '').trim())
  const words: string[] = []
  let isCue = false
  for (const line of lines) {
    if (line.includes('-->')) isCue = true
    else if (line === '') isCue = false
    else if (isCue && words.at(-1) !== line) words.push(line)
  }
  return decoded(words.join(' '))
}

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', , double, single] of text.matchAll(ATTRIBUTE)) {
    attributes.set(name.toLowerCase(), decoded(double ?? single ?? ''))
  }
  return attributes
}

const decoded = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&')

function absolute(address: string | undefined, pageUrl: string): string | undefined {
  const url = address ? URL.parse(address, pageUrl) : null
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined
}
