import type { VoiceModel } from '@/components/chat/voice/voice-models'
import { API_ROOT, postJson } from '@/lib/browser/api'
import { type Failure, failureOf } from '@/lib/browser/failure'
import { voiceCost } from '@/lib/browser/format/voice-cost'
import { nano, type Usd, ZERO } from '@/lib/contract/money'

export type Reading = {
  phase: 'loading' | 'playing' | 'paused' | 'ended' | 'failed'
  /** Pieces heard so far, and all of them. */
  heard: number
  pieces: number
  /** What was asked for so far. */
  cost: Usd
  failure?: Failure
}

export type Reader = {
  pauseOrGoOn(): void
  /** Goes on where it failed. */
  retry(): void
  stop(): void
}

/** What every browser plays, best first. */
const PLAYED = ['mp3', 'wav', 'flac', 'aac']

export type ReaderHooks = {
  show: (reading: Reading) => void
  /** Asked before each piece, with what all of it comes to then. What it throws ends the reading. */
  mayGoOn: (total: Usd) => Promise<void>
  /** What a piece cost. */
  onCost: (cost: Usd) => void
}

/** Reads pieces of text aloud, one after the other; the next is fetched while one is heard. */
export function readAloud(pieces: string[], model: VoiceModel, { show, mayGoOn, onCost }: ReaderHooks): Reader {
  const ending = new AbortController()
  const { signal } = ending
  const audio = new Audio()
  let reading: Reading = { phase: 'loading', heard: 0, pieces: pieces.length, cost: ZERO }
  const tell = (change: Partial<Reading>) => {
    if (signal.aborted) return
    reading = { ...reading, ...change }
    show(reading)
  }
  const fetchPiece = async (index: number): Promise<Blob | undefined> => {
    const input = pieces[index]
    if (input === undefined) return undefined
    const cost = voiceCost(input.length, model.price)
    await mayGoOn(nano(reading.cost + cost))
    signal.throwIfAborted()
    const format = PLAYED.find((one) => model.formats.includes(one))
    const body = { model: model.id, input, ...(format && { response_format: format }) }
    const response = await postJson(`${API_ROOT}/audio/speech`, body, signal)
    const blob = await response.blob()
    onCost(cost)
    tell({ cost: nano(reading.cost + cost) })
    return blob
  }

  async function run(from: number): Promise<void> {
    let next = fetchPiece(from)
    for (let index = from; index < pieces.length; index++) {
      const sound = await next
      if (!sound || signal.aborted) return
      next = fetchPiece(index + 1)
      // Heard of when its turn comes.
      next.catch(() => {})
      tell({ phase: 'playing' })
      await play(audio, sound, signal)
      tell({ heard: index + 1, ...(index + 1 < pieces.length && { phase: 'loading' }) })
    }
    tell({ phase: 'ended' })
  }

  const begin = (from: number) =>
    run(from).catch((error: unknown) => tell({ phase: 'failed', failure: failureOf(error) }))
  show(reading)
  void begin(0)
  return {
    pauseOrGoOn() {
      if (reading.phase === 'playing') {
        audio.pause()
        tell({ phase: 'paused' })
      } else if (reading.phase === 'paused') {
        void audio.play()
        tell({ phase: 'playing' })
      }
    },
    retry() {
      if (reading.phase !== 'failed') return
      tell({ phase: 'loading' })
      void begin(reading.heard)
    },
    stop() {
      ending.abort(new DOMException('Stopped', 'AbortError'))
      audio.pause()
    },
  }
}

/** Plays sound to its end. */
async function play(audio: HTMLAudioElement, sound: Blob, signal: AbortSignal): Promise<void> {
  const url = URL.createObjectURL(sound)
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
