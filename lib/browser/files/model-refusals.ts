import { MAX_REQUEST_BYTES } from '@/lib/browser/files/limits'
import { formatSize } from '@/lib/browser/format/numbers'
import type { ModelCard } from '@/lib/browser/models'
import type { Attachment } from '@/lib/browser/storage/records'
import { MAX_FILES_PER_REQUEST } from '@/lib/contract/limits'
import { msg, plural, t } from '@/lib/i18n/t'

type Kind = Attachment['kind']
type Taking = Pick<ModelCard, 'name' | 'takes'>

const SUPPORTED_AS = { image: 'images', audio: 'audio', video: 'video', document: 'documents' } as const

const NOT_SUPPORTED: Record<Kind, (model: string) => string> = {
  image: (model) => t('{model} doesn’t support images.', { model }),
  audio: (model) => t('{model} doesn’t support audio.', { model }),
  video: (model) => t('{model} doesn’t support video.', { model }),
  document: (model) => t('{model} doesn’t support documents.', { model }),
}

const TOO_MANY: Record<Kind, (max: number, model: string) => string> = {
  image: (max, model) =>
    max === 1
      ? t('{model} accepts one image per message.', { model })
      : plural(max, {
          one: 'Up to {count} image per message.',
          other: 'Up to {count} images per message.',
        }),
  audio: (max) =>
    plural(max, { one: 'Up to {count} audio file per message.', other: 'Up to {count} audio files per message.' }),
  video: (max, model) =>
    max === 1
      ? t('{model} accepts one video per message.', { model })
      : plural(max, { one: 'Up to {count} video per message.', other: 'Up to {count} videos per message.' }),
  document: (max) =>
    plural(max, { one: 'Up to {count} document per message.', other: 'Up to {count} documents per message.' }),
}

/**
 * Returns why a file cannot go to a model with the others of its message; nothing when it can.
 * @param others the other files of the message, those before it first.
 * @param earlier the files of the chat so far: they are sent along each time.
 */
export function fileRefusal(
  attachment: Attachment,
  model: Taking,
  others: Attachment[],
  earlier: Attachment[] = [],
): string | undefined {
  const { kind } = attachment
  const supported = SUPPORTED_AS[kind]
  if (!model.takes[supported]) return NOT_SUPPORTED[kind](model.name)
  const max = model.takes.maxFiles[supported]
  if (others.filter((other) => other.kind === kind).length >= max) return TOO_MANY[kind](max, model.name)
  // What this model does not take stays out of the request by itself.
  const all = [...earlier.filter((file) => model.takes[SUPPORTED_AS[file.kind]]), ...others]
  if (all.length >= MAX_FILES_PER_REQUEST) {
    return plural(MAX_FILES_PER_REQUEST, {
      one: 'Up to {count} file per chat.',
      other: 'Up to {count} files per chat.',
    })
  }
  if (sizeOf(all) + attachment.size > MAX_REQUEST_BYTES) {
    const size = formatSize(MAX_REQUEST_BYTES)
    return earlier.length > 0
      ? t('The files in this chat would exceed {size} in total. Remove a file or start a new chat.', { size })
      : t('Files in a message can be up to {size} in total.', { size })
  }
  return undefined
}

export function refusalsOf(
  attachments: Attachment[],
  model: Taking,
  earlier: Attachment[] = [],
): (string | undefined)[] {
  return attachments.map((attachment, at) => fileRefusal(attachment, model, attachments.slice(0, at), earlier))
}

export function modelsThatTake(
  attachments: Attachment[],
  models: ModelCard[],
  earlier: Attachment[] = [],
): ModelCard[] {
  return models.filter(
    (model) => !model.isOffline && refusalsOf(attachments, model, earlier).every((reason) => reason === undefined),
  )
}

export function supportedKinds({ takes }: Pick<ModelCard, 'takes'>): string {
  const key = `${takes.images ? 'i' : ''}${takes.audio ? 'a' : ''}${takes.video ? 'v' : ''}`
  return t(SUPPORTED_MESSAGES[key] ?? msg('documents'))
}

/** Whole lists, so that translators can join the words. */
const SUPPORTED_MESSAGES: Record<string, string> = {
  iav: msg('images, audio, video and documents'),
  ia: msg('images, audio and documents'),
  iv: msg('images, video and documents'),
  av: msg('audio, video and documents'),
  i: msg('images and documents'),
  a: msg('audio and documents'),
  v: msg('video and documents'),
}

const sizeOf = (attachments: Attachment[]): number => attachments.reduce((sum, { size }) => sum + size, 0)
