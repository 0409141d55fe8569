import { plainText } from '@/components/chat/turns/answer-text'
import { assertReading, type VoiceModel } from '@/components/chat/voice/voice-models'
import { withoutMarks } from '@/components/markdown/citations/sources'
import { API_ROOT, postJson } from '@/lib/browser/api'
import { type Failure, failureOf } from '@/lib/browser/failure'
import { voiceCost } from '@/lib/browser/format/cost'
import { assertDay, countSpent } from '@/lib/browser/spending'
import { nano, type Usd, usdNumber, ZERO } from '@/lib/contract/money'

export type Playback = {
  phase: 'loading' | 'playing' | 'paused' | 'ended' | 'failed'
  heard: number
  cost: Usd
  failure?: Failure
}

export type Reader = { pauseOrGoOn(): void; retry(): void; stop(): void }

const PLAYED = ['mp3', 'wav', 'flac', 'aac']

export function readAloud(pieces: string[], model: VoiceModel, show: (playback: Playback) => void): Reader {
  const ending = new AbortController()
  const { signal } = ending
  const audio = new Audio()
  let playback: Playback = { phase: 'loading', heard: 0, cost: ZERO }
  const tell = (change: Partial<Playback>) => {
    if (signal.aborted) return
    playback = { ...playback, ...change }
    show(playback)
  }
  const fetchPiece = async (index: number): Promise<Blob | undefined> => {
    const input = pieces[index]
    if (input === undefined) return undefined
    const cost = voiceCost(input.length, model.price)
    assertReading(nano(playback.cost + cost))
    await assertDay()
    signal.throwIfAborted()
    const format = PLAYED.find((one) => model.formats.includes(one))
    const body = { model: model.id, input, ...(format && { response_format: format }) }
    const response = await postJson(`${API_ROOT}/audio/speech`, body, signal)
    const blob = await response.blob()
    countSpent(usdNumber(cost))
    tell({ cost: nano(playback.cost + cost) })
    return blob
  }

  async function run(from: number): Promise<void> {
    let next = fetchPiece(from)
    for (let index = from; index < pieces.length; index++) {
      const audioFile = await next
      if (!audioFile || signal.aborted) return
      next = fetchPiece(index + 1)
      // Heard of when its turn comes.
      next.catch(() => {})
      tell({ phase: 'playing' })
      await play(audio, audioFile, signal)
      tell({ heard: index + 1, ...(index + 1 < pieces.length && { phase: 'loading' }) })
    }
    tell({ phase: 'ended' })
  }

  const begin = (from: number) =>
    run(from).catch((error: unknown) => tell({ phase: 'failed', failure: failureOf(error) }))
  show(playback)
  void begin(0)
  return {
    pauseOrGoOn() {
      if (playback.phase === 'playing') {
        audio.pause()
        tell({ phase: 'paused' })
      } else if (playback.phase === 'paused') {
        void audio.play()
        tell({ phase: 'playing' })
      }
    },
    retry() {
      if (playback.phase !== 'failed') return
      tell({ phase: 'loading' })
      void begin(playback.heard)
    },
    stop() {
      ending.abort(new DOMException('Stopped', 'AbortError'))
      audio.pause()
    },
  }
}

async function play(audio: HTMLAudioElement, audioFile: Blob, signal: AbortSignal): Promise<void> {
  const url = URL.createObjectURL(audioFile)
  try {
    await new Promise<void>((resolve, reject) => {
      audio.onended = () => resolve()
      audio.onerror = () => reject(new Error('This browser cannot play it'))
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      audio.src = url
      audio.play().catch(reject)
    })
  } finally {
    URL.revokeObjectURL(url)
  }
}

const PIECE_CHARACTERS = 240
/** Limit of the speech API. */
const MAX_PIECE_CHARACTERS = 4_000
const MAX_PIECES = 400

const CODE = /^ {0,3}(```|~~~)[^\n]*\n[\s\S]*?(?:\n {0,3}\1[^\n]*(?=\n|$)|$)/gm
const ADDRESS = /https?:\/\/\S+/g

/**
 * Cuts an answer into pieces for speech, without marks, code and addresses. The first is one sentence, so that it is
 * heard early.
 */
export function spokenPieces(markdown: string): string[] {
  const text = plainText(withoutMarks(markdown.replace(CODE, '\n'))).replace(ADDRESS, '')
  const pieces: string[] = []
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)) {
    const sentence = segment.replace(/\s+/g, ' ').trim()
    if (!/[\p{L}\p{N}]/u.test(sentence)) continue
    const last = pieces.at(-1)
    if (pieces.length > 1 && last !== undefined && last.length + sentence.length < PIECE_CHARACTERS) {
      pieces[pieces.length - 1] = `${last} ${sentence}`
    } else if (pieces.length < MAX_PIECES) {
      pieces.push(sentence.slice(0, MAX_PIECE_CHARACTERS))
    }
  }
  return pieces
}
