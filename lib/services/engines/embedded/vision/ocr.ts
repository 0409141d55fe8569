import { createRequire } from 'node:module'
import path from 'node:path'
import { createWorker, OEM, PSM, type Worker } from 'tesseract.js'
import { EngineError } from '../../engine.ts'
import { negative, type Page, upsideDown } from './image.ts'
import { confidenceOf, pageText, sceneText } from './layout.ts'
import type { Line } from './protocol.ts'

/** A page of 12,000 characters takes about ten seconds of one core; machines may have other work. */
const PAGE_DEADLINE_MS = 60_000
/** Texture can keep the recogniser busy; words that are there are found in less. */
const SCENE_DEADLINE_MS = 5_000
/** Text of less confidence may stand on its head. 0 to 100. */
const DOUBTFUL = 60
const LEAST_DOUBTFUL_CHARACTERS = 8

type Look = { thresholding: 'global' | 'local'; deadlineMs: number }

/** Both as measured: local thresholds read signs in scenes and lose lines of pages. */
const AS_PAGE: Look = { thresholding: 'global', deadlineMs: PAGE_DEADLINE_MS }
const AS_SCENE: Look = { thresholding: 'local', deadlineMs: SCENE_DEADLINE_MS }
/** Otsu's method and Sauvola's, by the recogniser's own numbers. */
const METHODS = { global: '0', local: '2' }

/**
 * Reads text off pages, one at a time. The recogniser works in a thread of its own, because nothing but its end stops
 * it: after an abort or a deadline the next page gets a new one.
 */
export class TextReader {
  #recogniser?: Promise<Worker>

  /** Starts the recogniser ahead of the first page. */
  async start(): Promise<void> {
    await this.#ready()
  }

  /**
   * The text of a page in reading order, empty where there is none.
   *
   * @throws EngineError `timeout` when the page is too much; the signal's reason when aborted.
   */
  async read(page: Page, signal: AbortSignal): Promise<string> {
    const upright = await this.#recognise(page, AS_PAGE, signal)
    const isDoubtful = charactersOf(upright) >= LEAST_DOUBTFUL_CHARACTERS && confidenceOf(upright) < DOUBTFUL
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
    const recogniser = await this.#ready()
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    const deadline = setTimeout(() => reject(tooMuch()), look.deadlineMs)
    try {
      const image = Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1'), pixels])
      const work = recogniser
        .setParameters({ tessedit_pageseg_mode: PSM.AUTO, thresholding_method: METHODS[look.thresholding] })
        .then(() => recogniser.recognize(image, {}, { text: false, blocks: true }))
      const { data } = await Promise.race([work, ended])
      return (data.blocks ?? []).map(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines.map(lineOf)))
    } catch (error) {
      await this.#discard(recogniser)
      throw error
    } finally {
      clearTimeout(deadline)
      signal.removeEventListener('abort', onAbort)
    }
  }

  #ready(): Promise<Worker> {
    this.#recogniser ??= startRecogniser().catch((error) => {
      this.#recogniser = undefined
      throw error
    })
    return this.#recogniser
  }

  async #discard(recogniser: Worker): Promise<void> {
    this.#recogniser = undefined
    await recogniser.terminate()
  }
}

/** Language data lie in a package; nothing is fetched, nothing is written. */
async function startRecogniser(): Promise<Worker> {
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
