import type { ModelCard } from '@/lib/browser/models'
import { loadBlob } from '@/lib/browser/storage/blobs'
import { type Attachment, type ChatSettings, filesSent, type Outgoing } from '@/lib/browser/storage/records'
import type { Turn } from '@/lib/browser/storage/thread'
import { MAX_VIDEOS_PER_REQUEST } from '@/lib/contract/limits'

export type RequestSetup = { settings: ChatSettings; character?: { slug?: string; systemPrompt?: string } }

export type RequestModel = Pick<ModelCard, 'id'> & Partial<Pick<ModelCard, 'takes' | 'efforts'>>

type WirePart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: string } }
  | { type: 'video_url'; video_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } }

type WireMessage = { role: 'system' | 'user' | 'assistant'; content: string | WirePart[] }

/** The body of a request, but for what streaming adds. Source: API contract, chat.md 1. */
export type ChatBody = {
  model: string
  messages: WireMessage[]
  temperature?: number
  top_p?: number
  max_completion_tokens?: number
  reasoning_effort?: string
  service_parameters?: Record<string, string | boolean>
}

export type ReadData = (attachment: Attachment) => Promise<string | undefined>

export type RequestTurn = Pick<Turn, 'role' | 'text' | 'attachments'>

const CONTINUE =
  'Your last answer was cut off. Continue it exactly where it stopped: no preface, and repeat nothing that is already there.'

/** A multiple of three, so that the base64 pieces join, and few enough for one call. */
const BASE64_BYTES = 24_576

/** A model that saw its citation marks again would make some up. */
const SOURCE_MARK = /\[REF\][^[\]]*\[\/REF\]/g

/**
 * Builds a chat request. The service stores nothing, so earlier messages and files are sent again; an answer at the end
 * of `turns` is asked to go on.
 * @param read turns files into data URLs: read when sent, shortened where a request is only shown.
 */
export async function chatRequest(
  turns: RequestTurn[],
  setup: RequestSetup,
  model: RequestModel,
  outgoing?: Outgoing,
  read: ReadData = readAttachment,
): Promise<ChatBody> {
  const { settings, character } = setup
  const sent: RequestTurn[] = outgoing ? [...turns, { role: 'user', ...outgoing }] : turns
  const left = leftOut(sent, model)
  const messages: WireMessage[] = []
  const system = [character?.systemPrompt, settings.systemPrompt].filter(Boolean).join('\n\n')
  if (system) messages.push({ role: 'system', content: system })
  for (const turn of sent) {
    const content = await contentOf(turn, left, read)
    if (content.length > 0) messages.push({ role: turn.role, content })
  }
  if (messages.at(-1)?.role === 'assistant') messages.push({ role: 'user', content: CONTINUE })
  const parameters = serviceParameters(settings, character?.slug)
  return {
    model: model.id,
    messages,
    ...(settings.temperature !== undefined && { temperature: settings.temperature }),
    ...(settings.topP !== undefined && { top_p: settings.topP }),
    ...(settings.maxOutputTokens !== undefined && { max_completion_tokens: settings.maxOutputTokens }),
    ...(settings.effort && takesEffort(model, settings.effort) && { reasoning_effort: settings.effort }),
    ...(Object.keys(parameters).length > 0 && { service_parameters: parameters }),
  }
}

function serviceParameters(settings: ChatSettings, slug: string | undefined): Record<string, string | boolean> {
  const { web, readsLinks, searchesX } = settings.sources ?? {}
  const isLookingUp = web !== undefined || readsLinks === true || searchesX === true
  return {
    ...(slug && { character_slug: slug }),
    ...(web && { enable_web_search: web }),
    ...(readsLinks && { enable_web_scraping: true }),
    ...(searchesX && { enable_x_search: true }),
    ...(isLookingUp && { enable_web_citations: true, include_search_results_in_stream: true }),
    ...(settings.isServicePromptOff && { include_service_system_prompt: false }),
    ...(settings.isThinkingOff && { disable_thinking: true }),
  }
}

const takesEffort = ({ efforts }: RequestModel, effort: string): boolean =>
  efforts === undefined || efforts.some((one) => one === effort)

/** Files of earlier messages that this model would refuse the new one for. */
function leftOut(turns: RequestTurn[], { takes }: RequestModel): Set<Attachment> {
  const earlier = turns.slice(0, -1).flatMap(filesSent)
  const refused = earlier.filter(({ kind }) => takes !== undefined && takes[KIND_TAKEN[kind]] === false)
  const videos = turns.flatMap(filesSent).filter(({ kind }) => kind === 'video')
  return new Set([...refused, ...videos.slice(0, -MAX_VIDEOS_PER_REQUEST)])
}

const KIND_TAKEN = { image: 'images', audio: 'audio', video: 'video', document: 'documents' } as const

async function contentOf(turn: RequestTurn, left: Set<Attachment>, read: ReadData): Promise<string | WirePart[]> {
  if (turn.role === 'assistant') return turn.text.replace(SOURCE_MARK, '')
  const { text, attachments = [] } = turn
  if (attachments.length === 0) return text
  const parts = await Promise.all(attachments.map((attachment) => partOf(attachment, left.has(attachment), read)))
  return text ? [...parts, { type: 'text', text }] : parts
}

async function partOf(attachment: Attachment, isLeft: boolean, read: ReadData): Promise<WirePart> {
  const { kind, name } = attachment
  if (isLeft) return { type: 'text', text: `[The file ${name} is not sent to this model.]` }
  const url = await read(attachment)
  if (url === undefined) return { type: 'text', text: `[The file ${name} is not on this device any more.]` }
  if (kind === 'image') return { type: 'image_url', image_url: { url } }
  if (kind === 'video') return { type: 'video_url', video_url: { url } }
  if (kind === 'document') return { type: 'file', file: { filename: name, file_data: url } }
  return { type: 'input_audio', input_audio: { data: url.slice(url.indexOf(',') + 1), format: formatOf(attachment) } }
}

/** Audio formats of the wire by media type. Source: API contract, chat.md 2. */
const FORMATS: Record<string, string> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/aiff': 'aiff',
  'audio/x-aiff': 'aiff',
  'audio/aac': 'aac',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/x-m4a': 'm4a',
}

function formatOf({ mediaType, name }: Attachment): string {
  const known = FORMATS[mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '']
  const ending = name.split('.').at(-1)?.toLowerCase() ?? ''
  return known ?? (Object.values(FORMATS).includes(ending) ? ending : 'wav')
}

export async function readAttachment({ hash, mediaType }: Attachment): Promise<string | undefined> {
  const blob = await loadBlob(hash)
  return blob && `data:${mediaType};base64,${base64(new Uint8Array(await blob.arrayBuffer()))}`
}

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += BASE64_BYTES) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + BASE64_BYTES)))
  }
  return text
}
