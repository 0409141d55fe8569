import type { Attachment, MediaRoutes } from '@/lib/endpoints/chat/attachments'
import type { Model } from '@/lib/services/models/model'

/**
 * What media cost in tokens, as far as that can be said without the model's own rule. Estimates are for holds; bounds
 * tell a count that can be true from one that cannot.
 */
const PIXELS_PER_TOKEN = 750
const SOUND_TOKENS_PER_SECOND = 32
const VIDEO_TOKENS_PER_SECOND = 300
/** The dearest rules of the field for one image, a second of sound and a second of video. */
export const MOST_IMAGE_TOKENS = 50_000
const MOST_SOUND_TOKENS_PER_SECOND = 100
const MOST_VIDEO_TOKENS_PER_SECOND = 1_000

/** Before anything was read: an image of common size; what a document or a recording of unknown length may come to. */
const UNREAD_IMAGE_TOKENS = 2_000
const UNREAD_TOKENS = 20_000
const BYTES_PER_DOCUMENT_TOKEN = 3
/** Sound is hardly ever stored in less. */
const LEAST_BYTES_PER_SECOND = 1_000

/** Tokens of media as the prompt has them: an estimate, and the most that an engine may report. */
export type MediaTokens = { estimate: number; most: number }

export const NO_TOKENS: MediaTokens = { estimate: 0, most: 0 }

export function imageTokens({ width, height }: { width: number; height: number }): MediaTokens {
  return { estimate: Math.ceil((width * height) / PIXELS_PER_TOKEN), most: MOST_IMAGE_TOKENS }
}

export function soundTokens(seconds: number): MediaTokens {
  return {
    estimate: Math.ceil(seconds * SOUND_TOKENS_PER_SECOND),
    most: Math.ceil(seconds * MOST_SOUND_TOKENS_PER_SECOND),
  }
}

export function videoTokens(seconds: number): MediaTokens {
  return {
    estimate: Math.ceil(seconds * VIDEO_TOKENS_PER_SECOND),
    most: Math.ceil(seconds * MOST_VIDEO_TOKENS_PER_SECOND),
  }
}

/** A video that the engine fetches: nobody here knows how long it is. An hour is the most that is believed. */
export const UNSEEN_VIDEO_TOKENS: MediaTokens = {
  estimate: UNREAD_TOKENS,
  most: 3_600 * MOST_VIDEO_TOKENS_PER_SECOND,
}

export function addTokens(all: MediaTokens[]): MediaTokens {
  return all.reduce((sum, one) => ({ estimate: sum.estimate + one.estimate, most: sum.most + one.most }), NO_TOKENS)
}

/** What attachments that nobody has looked at may add to the prompt, for the first hold; it grows when they are known. */
export function unreadTokens(attachments: Attachment[], routes: MediaRoutes, model: Model): number {
  const sum = attachments.reduce((total, attachment) => total + unread(attachment, routes), 0)
  return Math.min(sum, model.contextTokens)
}

function unread({ content }: Attachment, routes: MediaRoutes): number {
  switch (content.type) {
    case 'image_url':
      return UNREAD_IMAGE_TOKENS
    case 'input_audio':
      return routes.audio === 'native' ? soundTokens(secondsAtMost(content.input_audio.data)).estimate : UNREAD_TOKENS
    case 'video_url':
      return UNREAD_TOKENS
    case 'file':
      return content.file.file_data.startsWith('data:')
        ? Math.ceil(content.file.file_data.length / BYTES_PER_DOCUMENT_TOKEN)
        : UNREAD_TOKENS
  }
}

/** The longest that so much base64 can sound. */
export const secondsAtMost = (base64: string): number => Math.ceil((base64.length * 0.75) / LEAST_BYTES_PER_SECOND)
