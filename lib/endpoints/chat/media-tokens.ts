import 'server-only'
import {
  DOCUMENT_BYTES_PER_TOKEN,
  IMAGE_TOKENS,
  MAX_IMAGE_TOKENS,
  PIXELS_PER_TOKEN,
  SOUND_SECOND_TOKENS,
  VIDEO_SECOND_TOKENS,
} from '@/lib/contract/estimates'
import type { Attachment, MediaRoutes } from '@/lib/endpoints/chat/attachments'
import type { Model } from '@/lib/services/models/model'

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
