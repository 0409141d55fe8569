import type { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import { type ApiError, invalidField } from '@/lib/contract/errors'
import { MAX_FILES_PER_REQUEST, MAX_PER_MESSAGE, MAX_VIDEOS_PER_REQUEST } from '@/lib/contract/limits'
import type { Model } from '@/lib/services/models/model'
import 'server-only'

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
 * Counts the parts that are not text and checks them against the model.
 *
 * @throws ApiError INVALID_REQUEST naming the part.
 */
export function planAttachments(messages: Messages, model: Model, routes: MediaRoutes): Attachment[] {
  assertBreakpoints(messages)
  const attachments = messages.flatMap(attachmentsOf)
  if (attachments.length > MAX_FILES_PER_REQUEST) {
    throw invalidField(['messages'], `contains more than ${MAX_FILES_PER_REQUEST} attachments`)
  }
  if (attachments.filter(({ content }) => content.type === 'video_url').length > MAX_VIDEOS_PER_REQUEST) {
    throw invalidField(['messages'], `contains more than ${MAX_VIDEOS_PER_REQUEST} videos`)
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

export const isImage = (content: UserContent[number]): boolean =>
  content.type === 'image_url' || (content.type === 'file' && /^data:image\//i.test(content.file.file_data))

function attachmentsOf(message: Messages[number], index: number): Attachment[] {
  if (message.role !== 'user' || typeof message.content === 'string') return []
  const found = message.content.flatMap((content, part) =>
    content.type === 'text' ? [] : [{ message: index, part, content }],
  )
  for (const [type, max] of Object.entries(PER_MESSAGE) as [MediaType, number][]) {
    const count = found.filter(({ content }) => content.type === type).length
    if (count > max) {
      throw invalidField(['messages', index, 'content'], `contains ${count} ${NAMES[type]}; the maximum is ${max}`)
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
    throw invalidField(['messages'], `contains ${count} cache_control marks; the maximum is ${MAX_BREAKPOINTS}`)
  }
}

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

const VIDEO_SITES = [
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

export const isVideoPage = (address: string): boolean => isOnSite(address, VIDEO_SITES)
