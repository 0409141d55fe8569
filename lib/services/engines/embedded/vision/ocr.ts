import { createRequire } from 'node:module'
import path from 'node:path'
import { createWorker, OEM, PSM, type Worker } from 'tesseract.js'
import { EngineError } from '../../engine.ts'
import type { Line, Word } from '../task-protocol.ts'
import { negative, type Page, upsideDown } from './image.ts'

// A page of 12,000 characters takes about ten seconds of one core; machines may have other work.
const PAGE_DEADLINE_MS = 60_000
const SCENE_DEADLINE_MS = 5_000
const DOUBTFUL = 60
const MIN_DOUBTFUL_CHARACTERS = 8

type Look = { thresholding: 'global' | 'local'; deadlineMs: number }

// Both as measured: local thresholds read signs in scenes and lose lines of pages.
const AS_PAGE: Look = { thresholding: 'global', deadlineMs: PAGE_DEADLINE_MS }
const AS_SCENE: Look = { thresholding: 'local', deadlineMs: SCENE_DEADLINE_MS }
const METHODS = { global: '0', local: '2' }

/**
 * Reads text off pages, one at a time. The recogniser works in a thread of its own, because nothing but its end stops
 * it: after an abort or a deadline the next page gets a new one.
 */
export class TextReader {
  #recogniser?: Promise<Worker>

  async start(): Promise<void> {
    await this.#ready()
  }

  async read(page: Page, signal: AbortSignal): Promise<string> {
    const upright = await this.#recognise(page, AS_PAGE, signal)
    const isDoubtful = charactersOf(upright) >= MIN_DOUBTFUL_CHARACTERS && confidenceOf(upright) < DOUBTFUL
    const turned = isDoubtful ? await this.#recognise(await upsideDown(page), AS_PAGE, signal) : upright
    const text = pageText(confidenceOf(turned) > confidenceOf(upright) ? turned : upright)
    return text === '' ? await this.#wordsOfScene(page, signal) : text
  }

  async #wordsOfScene(page: Page, signal: AbortSignal): Promise<string> {
    try {
      return sceneText(await this.#recognise(await negative(page), AS_SCENE, signal))
    } catch (error) {
      if (error instanceof EngineError && error.reason === 'timeout') return ''
      throw error
    }
  }

  async #recognise({ pixels, width, height }: Page, look: Look, signal: AbortSignal): Promise<Line[][]> {
    signal.throwIfAborted()
    const ocr = await this.#ready()
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    const deadline = setTimeout(() => reject(tooMuch()), look.deadlineMs)
    try {
      const image = Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1'), pixels])
      const work = ocr
        .setParameters({ tessedit_pageseg_mode: PSM.AUTO, thresholding_method: METHODS[look.thresholding] })
        .then(() => ocr.recognize(image, {}, { text: false, blocks: true }))
      const { data } = await Promise.race([work, ended])
      return (data.blocks ?? []).map(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines.map(lineOf)))
    } catch (error) {
      await this.#discard(ocr)
      throw error
    } finally {
      clearTimeout(deadline)
      signal.removeEventListener('abort', onAbort)
    }
  }

  #ready(): Promise<Worker> {
    this.#recogniser ??= startOcr().catch((error) => {
      this.#recogniser = undefined
      throw error
    })
    return this.#recogniser
  }

  async #discard(ocr: Worker): Promise<void> {
    this.#recogniser = undefined
    await ocr.terminate()
  }
}

async function startOcr(): Promise<Worker> {
  const data = path.dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json'))
  return await createWorker('eng', OEM.LSTM_ONLY, {
    langPath: path.join(data, '4.0.0_best_int'),
    cacheMethod: 'none',
    gzip: true,
    // Without one the library throws where nobody can catch; the call itself rejects all the same.
    errorHandler: () => undefined,
  })
}

type RecognisedLine = {
  words: { text: string; confidence: number; bbox: { x0: number; y0: number; x1: number; y1: number } }[]
}

function lineOf({ words }: RecognisedLine): Line {
  return words.map(({ text, confidence, bbox: { x0, y0, x1, y1 } }) => {
    return { text, confidence, left: x0, top: y0, right: x1, bottom: y1 }
  })
}

const charactersOf = (blocks: Line[][]): number => blocks.flat(2).reduce((sum, { text }) => sum + text.length, 0)

const tooMuch = () =>
  new EngineError('timeout', 'There is too much in the image to read it in time. Send a part of it.')

const SURE = 70
const SURE_OF_ONE = 85
const UNSURE = 60
const MIN_SURE_PART = 0.3
const SURE_IN_SCENE = 80
const MIN_LETTERS_IN_SCENE = 3

const GUTTER_HEIGHTS = 1.8
const MIN_COLUMN_LINES = 3
const MIN_COLUMN_WORDS = 2.5
const MIN_WORDY_PART = 0.7
const MAX_COLUMNS = 8
const PARAGRAPH_GAP_HEIGHTS = 1.2
const INDENT_HEIGHTS = 3

/**
 * Puts the lines of a page in reading order: without noise, columns one after the other, a blank line between
 * paragraphs. Empty when hardly anything of it is sure.
 */
export function pageText(blocks: Line[][]): string {
  const words = blocks.flat(2)
  if (lettersIn(words.filter(isSure)) < MIN_SURE_PART * lettersIn(words)) return ''
  return blocks
    .map((lines) => lines.map(cleaned).filter((line) => line.length > 0))
    .filter((lines) => lines.length > 0)
    .flatMap((lines) => columnsOf(lines))
    .reduce(
      (text, lines, index, all) => text + breakBetween(all[index - 1], lines) + lines.map(lineText).join('\n'),
      '',
    )
}

export function sceneText(blocks: Line[][]): string {
  const isWord = ({ text, confidence }: Word) => {
    const letters = lettersOf(text)
    return confidence >= SURE_IN_SCENE && letters >= MIN_LETTERS_IN_SCENE && letters >= text.length * 0.7
  }
  const lines = blocks.flat().map((line) => line.filter(isWord))
  return lines
    .filter((line) => line.length > 0)
    .map(lineText)
    .join('\n')
}

export function confidenceOf(blocks: Line[][]): number {
  const words = blocks.flat(2)
  const characters = words.reduce((sum, { text }) => sum + text.length, 0)
  return characters === 0
    ? 0
    : words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / characters
}

function cleaned(line: Line): Line {
  if (!line.some(isSure)) return []
  return line.filter(({ text, confidence }) => confidence >= UNSURE || lettersOf(text) > 1)
}

function isSure({ text, confidence }: Word): boolean {
  const letters = lettersOf(text)
  return letters > 1 ? confidence >= SURE : letters === 1 && confidence >= SURE_OF_ONE
}

function columnsOf(lines: Line[], depth = 0): Line[][] {
  const gutter = depth < MAX_COLUMNS ? gutterOf(lines) : undefined
  if (gutter === undefined) return [lines]
  const left = lines.map((line) => line.filter((word) => word.right <= gutter)).filter(isFilled)
  const right = lines.map((line) => line.filter((word) => word.right > gutter)).filter(isFilled)
  return areColumns(left, right) ? [...columnsOf(left, depth + 1), ...columnsOf(right, depth + 1)] : [lines]
}

const isFilled = (line: Line): boolean => line.length > 0

function areColumns(left: Line[], right: Line[]): boolean {
  return [left, right].every(
    (side) =>
      side.length >= MIN_COLUMN_LINES &&
      side.flat().length >= side.length * MIN_COLUMN_WORDS &&
      side.flat().filter(isWordy).length >= side.flat().length * MIN_WORDY_PART,
  )
}

const isWordy = ({ text }: Word): boolean => /\p{L}/u.test(text) && !/\d/.test(text)

function breakBetween(above: Line[] | undefined, below: Line[]): string {
  if (!above) return ''
  const [last, next] = [boundsOf(above.at(-1)!), boundsOf(below[0]!)]
  const height = Math.min(last.bottom - last.top, next.bottom - next.top)
  const isBelow = Math.abs(next.top - last.bottom) < PARAGRAPH_GAP_HEIGHTS * height
  const isAligned = Math.abs(next.left - last.left) < INDENT_HEIGHTS * height
  return isBelow && isAligned ? '\n' : '\n\n'
}

function boundsOf(line: Line): { left: number; top: number; bottom: number } {
  return {
    left: Math.min(...line.map(({ left }) => left)),
    top: Math.min(...line.map(({ top }) => top)),
    bottom: Math.max(...line.map(({ bottom }) => bottom)),
  }
}

function gutterOf(lines: Line[]): number | undefined {
  const height = median(lines.flat().map(({ top, bottom }) => bottom - top))
  const words = lines.flat().sort((a, b) => a.left - b.left)
  let right = words[0]?.right ?? 0
  for (const word of words) {
    if (word.left - right >= GUTTER_HEIGHTS * height) return (word.left + right) / 2
    right = Math.max(right, word.right)
  }
  return undefined
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? 0
}

const lineText = (line: Line): string => line.map(({ text }) => text).join(' ')

const lettersOf = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0

const lettersIn = (words: Word[]): number => words.reduce((sum, { text }) => sum + lettersOf(text), 0)
