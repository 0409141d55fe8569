import type { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import { type ApiError, invalidField } from '@/lib/contract/errors'
import {
  DOCUMENT_BYTES_PER_TOKEN,
  IMAGE_TOKENS,
  MAX_IMAGE_TOKENS,
  PIXELS_PER_TOKEN,
  SOUND_SECOND_TOKENS,
  VIDEO_SECOND_TOKENS,
} from '@/lib/contract/estimates'
import { MAX_FILES_PER_REQUEST, MAX_PER_MESSAGE, MAX_VIDEOS_PER_REQUEST } from '@/lib/contract/limits'
import type { Model } from '@/lib/services/models/model'

const PER_MESSAGE = {
  image_url: MAX_PER_MESSAGE.images,
  input_audio: MAX_PER_MESSAGE.audio,
  video_url: MAX_PER_MESSAGE.video,
  file: MAX_PER_MESSAGE.documents,
} as const
/** Explicit cache breakpoints. Source: API contract, chat.md 10. */
const MAX_BREAKPOINTS = 4

const NAMES = { image_url: 'images', input_audio: 'audio parts', video_url: 'videos', file: 'files' } as const

type MediaType = keyof typeof PER_MESSAGE
type Messages = ChatCompletionRequest['messages']
type UserContent = Exclude<Extract<Messages[number], { role: 'user' }>['content'], string>
export type MediaPart = Exclude<UserContent[number], { type: 'text' }>

export type Attachment = { message: number; part: number; content: MediaPart }

/**
 * How media reach the model: unchanged, or read for it by another model (`assist`). A video goes whole to a model that
 * takes video; for others its frames are images and its sound audio.
 */
export type MediaRoutes = {
  image?: 'native' | Model
  audio?: 'native' | Model
  video?: 'native' | 'parts'
  videoSites?: readonly string[]
  /** Documents that the model reads itself; of others it gets the text. */
  documentTypes?: readonly string[]
  /** Tokens of an image at least. */
  imageTokens?: number
}

export type Assists = { vision?: Model; audio?: Model }

export function mediaRoutes(model: Model, assists: Assists): MediaRoutes {
  const { capabilities, videoSites, documentTypes, imageTokens } = model
  const image = capabilities.supportsVision ? 'native' : assists.vision
  const audio = capabilities.supportsAudioInput ? 'native' : assists.audio
  return {
    image,
    audio,
    video: capabilities.supportsVideoInput ? 'native' : image || audio ? 'parts' : undefined,
    ...(capabilities.supportsVideoInput && videoSites ? { videoSites } : {}),
    ...(documentTypes ? { documentTypes } : {}),
    ...(imageTokens !== undefined ? { imageTokens } : {}),
  }
}

/**
 * Counts the parts that are not text and checks them against the model.
 *
 * @throws ApiError INVALID_REQUEST naming the part.
 */
export function planAttachments(messages: Messages, model: Model, routes: MediaRoutes): Attachment[] {
  assertBreakpoints(messages)
  const attachments = messages.flatMap(attachmentsOf)
  if (attachments.length > MAX_FILES_PER_REQUEST) {
    throw invalidField(['messages'], `holds more than ${MAX_FILES_PER_REQUEST} images, sounds, videos and files in all`)
  }
  if (attachments.filter(({ content }) => content.type === 'video_url').length > MAX_VIDEOS_PER_REQUEST) {
    throw invalidField(['messages'], `holds more than ${MAX_VIDEOS_PER_REQUEST} videos in all`)
  }
  for (const attachment of attachments) assertRoute(attachment, model, routes)
  return keepsAllImages(model, routes) ? attachments : attachments.filter(isReadable(attachments))
}

export function takesSameMedia(
  attachments: Attachment[],
  routes: MediaRoutes,
  { capabilities, videoSites = [], documentTypes = [] }: Model,
): boolean {
  const sees = routes.image !== 'native' || capabilities.supportsVision === true
  const hears = routes.audio !== 'native' || capabilities.supportsAudioInput === true
  return attachments.every(({ content }) => {
    if (isImage(content)) return sees
    if (content.type === 'input_audio') return hears
    if (content.type === 'file') return (routes.documentTypes ?? []).every((type) => documentTypes.includes(type))
    if (content.type !== 'video_url') return true
    const { url } = content.video_url
    if (isOnSite(url, routes.videoSites ?? []) && !isOnSite(url, videoSites)) return false
    return routes.video === 'native' ? capabilities.supportsVideoInput === true : sees && hears
  })
}

const isImage = (content: MediaPart): boolean =>
  content.type === 'image_url' || (content.type === 'file' && /^data:image\//i.test(content.file.file_data))

function attachmentsOf(message: Messages[number], index: number): Attachment[] {
  if (message.role !== 'user' || typeof message.content === 'string') return []
  const found = message.content.flatMap((content, part) =>
    content.type === 'text' ? [] : [{ message: index, part, content }],
  )
  for (const [type, max] of Object.entries(PER_MESSAGE) as [MediaType, number][]) {
    const count = found.filter(({ content }) => content.type === type).length
    if (count > max) {
      throw invalidField(['messages', index, 'content'], `holds ${count} ${NAMES[type]}; at most ${max} are possible`)
    }
  }
  return found
}

function assertRoute({ message, part, content }: Attachment, model: Model, routes: MediaRoutes): void {
  const path = ['messages', message, 'content', part, 'type']
  const lacks = (what: string): ApiError =>
    invalidField(path, `${model.id} does not take ${what}; choose another model.`)
  if (content.type === 'image_url' && !routes.image) throw lacks('images')
  if (content.type === 'input_audio' && !routes.audio) throw lacks('audio')
  if (content.type !== 'video_url') return
  if (!routes.video) throw lacks('video')
  const { url } = content.video_url
  if (isVideoPage(url) && !isOnSite(url, routes.videoSites ?? [])) {
    throw invalidField(
      ['messages', message, 'content', part, 'video_url', 'url'],
      `is a page of a video site, which ${model.id} cannot open; send the video itself or the address of a video file.`,
    )
  }
}

/** A model of one image sees those of the last message that has any. Source: API contract, chat.md 2. */
function keepsAllImages({ capabilities }: Model, routes: MediaRoutes): boolean {
  return routes.image === 'native' && capabilities.supportsMultipleImages === true
}

function isReadable(attachments: Attachment[]): (attachment: Attachment) => boolean {
  const last = attachments.findLast(({ content }) => isImage(content))?.message
  return ({ message, content }) => !isImage(content) || message === last
}

function assertBreakpoints(messages: Messages): void {
  let count = 0
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue
    for (const part of content) if (part.cache_control) count++
  }
  if (count > MAX_BREAKPOINTS) {
    throw invalidField(['messages'], `holds ${count} cache_control marks; at most ${MAX_BREAKPOINTS} are possible`)
  }
}

const KNOWN_SITES = [
  'youtube.com',
  'youtu.be',
  'youtube-nocookie.com',
  'vimeo.com',
  'dailymotion.com',
  'tiktok.com',
  'twitch.tv',
  'bilibili.com',
]

export function isOnSite(address: string, sites: readonly string[]): boolean {
  const url = /^https?:/i.test(address.slice(0, 6)) ? URL.parse(address) : null
  const host = url?.hostname.replace(/\.$/, '')
  return host !== undefined && sites.some((site) => host === site || host.endsWith(`.${site}`))
}

export const isVideoPage = (address: string): boolean => isOnSite(address, KNOWN_SITES)

const UNREAD_TOKENS = 20_000
/** Source: platform.claude.com, "PDF support", and ai.google.dev, "Document understanding". */
const MAX_DOCUMENT_PAGES = 1_000
const MAX_PAGE_TEXT_TOKENS = 3_000
const MIN_BYTES_PER_SECOND = 1_000

/** `estimate` is for holds; `most` is the highest count that an engine may plausibly report. */
export type MediaTokens = { estimate: number; most: number }

export const NO_TOKENS: MediaTokens = { estimate: 0, most: 0 }

export function imageTokens({ width, height }: { width: number; height: number }, least = 0): MediaTokens {
  return { estimate: Math.max(least, Math.ceil((width * height) / PIXELS_PER_TOKEN)), most: MAX_IMAGE_TOKENS }
}

export function audioTokens(seconds: number): MediaTokens {
  return {
    estimate: Math.ceil(seconds * SOUND_SECOND_TOKENS.likely),
    most: Math.ceil(seconds * SOUND_SECOND_TOKENS.upper),
  }
}

export function videoTokens(seconds: number): MediaTokens {
  return {
    estimate: Math.ceil(seconds * VIDEO_SECOND_TOKENS.likely),
    most: Math.ceil(seconds * VIDEO_SECOND_TOKENS.upper),
  }
}

export const UNSEEN_VIDEO_TOKENS: MediaTokens = {
  estimate: UNREAD_TOKENS,
  most: 3_600 * VIDEO_SECOND_TOKENS.upper,
}

/** Counts a document whose pages nobody has counted: text and a picture of each. */
export function documentTokens(bytes: number): MediaTokens {
  return {
    estimate: Math.ceil(bytes / DOCUMENT_BYTES_PER_TOKEN.upper),
    most: MAX_DOCUMENT_PAGES * (MAX_PAGE_TEXT_TOKENS + IMAGE_TOKENS.upper),
  }
}

export function addTokens(all: MediaTokens[]): MediaTokens {
  return all.reduce((sum, one) => ({ estimate: sum.estimate + one.estimate, most: sum.most + one.most }), NO_TOKENS)
}

export function unreadTokens(attachments: Attachment[], routes: MediaRoutes, model: Model): number {
  const sum = attachments.reduce((total, attachment) => total + unread(attachment, routes), 0)
  return Math.min(sum, model.contextTokens)
}

function unread({ content }: Attachment, routes: MediaRoutes): number {
  switch (content.type) {
    case 'image_url':
      return IMAGE_TOKENS.upper
    case 'input_audio':
      return routes.audio === 'native' ? audioTokens(secondsAtMost(content.input_audio.data)).estimate : UNREAD_TOKENS
    case 'video_url':
      return UNREAD_TOKENS
    case 'file':
      return content.file.file_data.startsWith('data:')
        ? Math.ceil(content.file.file_data.length / DOCUMENT_BYTES_PER_TOKEN.upper)
        : UNREAD_TOKENS
  }
}

export const secondsAtMost = (base64: string): number => Math.ceil((base64.length * 0.75) / MIN_BYTES_PER_SECOND)
