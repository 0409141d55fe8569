import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { PIXELS_PER_TOKEN } from '@/lib/contract/estimates'
import { log } from '@/lib/kernel/log'
import { StopFilter } from '@/lib/services/engines/embedded/chat/choice-writer'
import { estimateTokens } from '@/lib/services/engines/embedded/estimate-tokens'
import type { EmbeddedModelState, LoadProgress } from '@/lib/services/engines/embedded/lifecycle'
import { TaskPool } from '@/lib/services/engines/embedded/task-pool'
import type { DetectorFiles, VisionInput, VisionReading } from '@/lib/services/engines/embedded/task-protocol'
import { ensureWeights, type WeightsProgress } from '@/lib/services/engines/embedded/weights/weights'
import {
  type ChatEvent,
  type ChatMessage,
  type ChatRequest,
  contentText,
  EngineError,
  type ImageReading,
} from '@/lib/services/engines/engine'

export const IMAGE_READER = 'image-reader'

export const IMAGE_READER_CONTEXT_TOKENS = 8_192

const NO_IMAGE =
  'I read the text in images and name the objects I recognize. This conversation has no image yet; add one to your ' +
  'message.'

/**
 * Answers a conversation with the text and objects of the images of its last message that has any, one after the other.
 * All choices deltas the same.
 *
 * @throws EngineError `invalid-request` when an image cannot be read, and as the reader does.
 */
export async function* readConversation(
  reader: Pick<EmbeddedImageReader, 'read'>,
  request: ChatRequest,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const choices = Array.from({ length: request.n }, (_, choice) => choice)
  const answer = new BoundedAnswer(request)
  const usage = { inputTokens: textTokens(request.messages), cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
  const deltas = (text: string): ChatEvent[] =>
    text === '' ? [] : choices.map((choice) => ({ type: 'text-delta', choice, text }))

  const images = imagesOf(request.messages)
  if (images.length === 0) yield* deltas(answer.add(NO_IMAGE))
  for (const [index, url] of images.entries()) {
    if (answer.end) break
    const description = await reader.read(imageBytes(url, index), signal)
    usage.inputTokens += imageTokens(description)
    const head = images.length > 1 ? `${index > 0 ? '\n\n' : ''}Image ${index + 1}:\n` : ''
    yield* deltas(answer.add(head + describeReading(description)))
  }
  yield* deltas(answer.finish())
  for (const choice of choices) yield { type: 'choice-end', choice, reason: answer.end ?? 'stop' }
  yield { type: 'usage', ...usage, outputTokens: answer.tokens * request.n }
}

class BoundedAnswer {
  readonly #filter: StopFilter
  readonly #maxTokens: number
  #text = ''
  end?: 'stop' | 'length'

  constructor({ stop, maxTokens }: ChatRequest) {
    this.#filter = new StopFilter(stop)
    this.#maxTokens = maxTokens
  }

  get tokens(): number {
    return estimateTokens(this.#text)
  }

  add(text: string): string {
    const { text: shown, isStopped } = this.#filter.push(text)
    const truncated = this.#append(shown)
    if (isStopped) this.end ??= 'stop'
    return truncated
  }

  finish(): string {
    return this.end ? '' : this.#append(this.#filter.flush())
  }

  #append(text: string): string {
    const truncated = longestWithin(text, (part) => estimateTokens(this.#text + part) <= this.#maxTokens)
    if (truncated.length < text.length) this.end = 'length'
    this.#text += truncated
    return truncated
  }
}

function longestWithin(text: string, fits: (part: string) => boolean): string {
  if (fits(text)) return text
  let [fitting, tooLong] = [0, text.length]
  while (tooLong - fitting > 1) {
    const middle = (fitting + tooLong) >> 1
    if (fits(text.slice(0, middle))) fitting = middle
    else tooLong = middle
  }
  return text.slice(0, fitting).replace(/[\uD800-\uDBFF]$/, '')
}

function imagesOf(messages: ChatMessage[]): string[] {
  const images = messages.map(({ role, content }) => {
    if (role !== 'user' || typeof content === 'string') return []
    return content.flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : []))
  })
  return images.findLast((urls) => urls.length > 0) ?? []
}

function imageBytes(url: string, index: number): Uint8Array {
  const comma = url.indexOf(',')
  if (url.startsWith('data:') && url.slice(0, comma).endsWith(';base64')) {
    return Buffer.from(url.slice(comma + 1), 'base64')
  }
  throw new EngineError('invalid-request', `Image ${index + 1} has to be a data URL in base64.`)
}

function textTokens(messages: ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateTokens(contentText(message)), 0)
}

function imageTokens({ width, height }: { width: number; height: number }): number {
  return Math.min(IMAGE_READER_CONTEXT_TOKENS, Math.ceil((width * height) / PIXELS_PER_TOKEN))
}

const MAX_TEXT_CHARACTERS = 20_000
const MAX_PLACES = 4

/**
 * Describes a picture by a template, without a language model. Objects come first, so that everything after `Text in
 * the image:` is the picture's own text, verbatim.
 *
 * @param reading with `hasDetector: false`, objects were not looked for, and not mentioned.
 */
export function describeReading(description: ImageReading & { hasDetector?: boolean }): string {
  const text = description.text.trim()
  const parts = [objectsOf(description.objects), text === '' ? '' : `Text in the image:\n${bounded(text)}`]
  return parts.filter((part) => part !== '').join('\n\n') || nothing(description.hasDetector !== false)
}

function nothing(hasLooked: boolean): string {
  if (hasLooked) return 'No text and no objects that this reader knows were found in the image.'
  return 'No text was found in the image. Objects could not be looked for.'
}

function objectsOf(objects: ImageReading['objects']): string {
  if (objects.length === 0) return ''
  const kinds = Map.groupBy(objects, ({ label }) => label)
  const labels = [...kinds].map(([label, found]) => {
    const places = found.length > MAX_PLACES ? '' : ` (${found.map(({ box }) => placeOf(box)).join(', ')})`
    return counted(found.length, label) + places
  })
  return `Objects: ${labels.join(', ')}.`
}

type Box = ImageReading['objects'][number]['box']

function placeOf({ left, top, width, height }: Box): string {
  const column = third(left + width / 2, 'left', 'right')
  const row = third(top + height / 2, 'top', 'bottom')
  return [row, column].filter((part) => part !== '').join(' ') || 'center'
}

function third(position: number, first: string, last: string): string {
  return position < 1 / 3 ? first : position > 2 / 3 ? last : ''
}

function bounded(text: string): string {
  if (text.length <= MAX_TEXT_CHARACTERS) return text
  // A character of two units is not cut in half.
  const truncated = text.slice(0, MAX_TEXT_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')
  return `${truncated}\n[The text goes on; the rest is left out.]`
}

const PLURALS: Record<string, string> = {
  person: 'people',
  knife: 'knives',
  sheep: 'sheep',
  skis: 'pairs of skis',
  scissors: 'pairs of scissors',
  broccoli: 'pieces of broccoli',
  'computer mouse': 'computer mice',
}

function counted(count: number, label: string): string {
  return `${count} ${count === 1 ? label : (PLURALS[label] ?? regularPlural(label))}`
}

const regularPlural = (label: string): string => (/(?:s|x|z|ch|sh)$/.test(label) ? `${label}es` : `${label}s`)

const MAX_ACTIVE = 1
const MAX_QUEUED = 16
const IDLE_MS = 10 * 60_000
const TASK_DEADLINE_MS = 150_000
// The first picture waits this long for the detector; then text is read without it while it is fetched.
const DETECTOR_WAIT_MS = 20_000

export type EmbeddedImageReader = {
  read(image: Uint8Array, signal: AbortSignal): Promise<VisionReading>
  load(onProgress?: (progress: LoadProgress) => void): Promise<void>
  state(): EmbeddedModelState
  close(): Promise<void>
}

/**
 * Reads text and finds objects in a child process, which is started by the first picture. The text reader is in the
 * installation; the detector's weights are fetched once, and where they cannot be had, text is read all the same.
 */
export function createImageReader({ dataDir }: { dataDir: string }): EmbeddedImageReader {
  let detector: DetectorFiles | undefined
  const fetchDetector = async (onProgress: (progress: WeightsProgress) => void) => {
    try {
      const files = await ensureWeights('coco-ssd', { dataDir, onProgress })
      detector = { model: files['model.json']!, weights: files['weights.bin']! }
    } catch (error) {
      log().warn({ err: error }, 'reading images without object detection: its weights are unavailable')
    }
  }
  const pool = new TaskPool<VisionInput, VisionReading>({
    name: 'image-reader',
    entry: 'vision/vision-worker.ts',
    findWeights: async (onProgress) => {
      if (detector) return {}
      let isAwaited = true
      const fetching = fetchDetector((progress) => {
        if (isAwaited) onProgress(progress)
      })
      await Promise.race([fetching, sleep(DETECTOR_WAIT_MS, undefined, { ref: false })])
      isAwaited = false
      return {}
    },
    maxActive: MAX_ACTIVE,
    maxQueued: MAX_QUEUED,
    idleMs: IDLE_MS,
    taskDeadlineMs: TASK_DEADLINE_MS,
  })
  return {
    // Asked for when the task is sent, which is after the fetching that the task itself has started.
    read: (image, signal) =>
      pool.run(
        {
          image,
          get detector() {
            return detector
          },
        },
        signal,
      ),
    load: (onProgress) => pool.load(onProgress),
    state: () => pool.state(),
    close: () => pool.close(),
  }
}
