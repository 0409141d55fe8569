'use client'

import { useQuery } from '@tanstack/react-query'
import { Pause, Play, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { plainText } from '@/components/chat/turns/answer-text'
import { requestReadAloud, type Wanted } from '@/components/chat/voice/read-aloud-store'
import { assertReading, speechModelQuery, type VoiceModel } from '@/components/chat/voice/voice-models'
import { RaiseCap } from '@/components/common/raise-cap'
import { withoutMarks } from '@/components/markdown/citations/sources'
import { IconButton } from '@/components/ui/button'
import { passGate } from '@/lib/browser/account-gate'
import { API_ROOT, postJson } from '@/lib/browser/api'
import { type Failure, failureOf } from '@/lib/browser/failure'
import { formatExactMoney, voiceCost } from '@/lib/browser/format/cost'
import { assertDay, countSpent } from '@/lib/browser/spending'
import { nano, type Usd, usdNumber, ZERO } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

type ReadAloudBarProps = { wanted: Wanted }

export function ReadAloudBar({ wanted }: ReadAloudBarProps) {
  const model = useQuery(speechModelQuery())
  const pieces = useMemo(() => spokenPieces(wanted.text), [wanted.text])
  const { reading: playback, reader, isRefused } = useReader(pieces, model.data)
  const hasEnded = playback?.phase === 'ended'
  useEffect(() => {
    if (hasEnded) requestReadAloud(undefined)
  }, [hasEnded])
  const isPaused = playback?.phase === 'paused'
  const cap = playback?.phase === 'failed' ? capOf(playback.failure) : undefined
  const whole = voiceCost(pieces.join('').length, model.data?.price)
  return (
    // Above the words, and not over them: on a phone it is as wide as they are.
    <section aria-label={t('Reading aloud')} className="order-first flex shrink-0 justify-center px-4 pt-2">
      <div className="enter flex max-w-full items-center gap-1 rounded-card border border-line bg-surface py-1 ps-4 pe-1 text-14 text-ink shadow-one">
        <p role="status" className="min-w-0">
          {statusOf({ playback, isRefused, model: model.data, isLost: model.isError, count: pieces.length })}
        </p>
        {playback && (
          <span className="shrink-0 ps-2 font-mono text-12 text-ink-2 tabular-nums">
            {t('{cost} of {whole}', { cost: formatExactMoney(playback.cost), whole: formatExactMoney(whole) })}
          </span>
        )}
        {(playback?.phase === 'playing' || isPaused) && (
          <IconButton label={isPaused ? t('Resume') : t('Pause')} onClick={() => reader.current?.pauseOrGoOn()}>
            {isPaused ? <Play aria-hidden="true" /> : <Pause aria-hidden="true" />}
          </IconButton>
        )}
        {cap && (
          <RaiseCap name={cap} isBusy={false} goOn={t('Save and continue')} onRaised={() => reader.current?.retry()} />
        )}
        <IconButton label={t('Stop reading aloud')} onClick={() => requestReadAloud(undefined)}>
          <X aria-hidden="true" />
        </IconButton>
      </div>
    </section>
  )
}

function useReader(pieces: string[], model: VoiceModel | null | undefined) {
  const [playback, setPlayback] = useState<Playback>()
  const [isRefused, setIsRefused] = useState(false)
  const reader = useRef<Reader>(undefined)
  useEffect(() => {
    if (!model || pieces.length === 0) return
    let isGone = false
    const passage = {
      why: t('To listen to this answer'),
      whyCredit: t('The answer is read aloud once you add credit.'),
      isFree: model.price === undefined,
    }
    void passGate(passage).then((refusal) => {
      if (isGone) return
      if (refusal) setIsRefused(true)
      else reader.current = readAloud(pieces, model, setPlayback)
    })
    return () => {
      isGone = true
      reader.current?.stop()
    }
  }, [pieces, model])
  return { reading: playback, reader, isRefused }
}

const capOf = (failure: Playback['failure']) =>
  failure?.code === 'CAP_PER_MESSAGE' ? 'capPerMessage' : failure?.code === 'CAP_PER_DAY' ? 'capPerDay' : undefined

type Known = {
  playback: Playback | undefined
  isRefused: boolean
  model: VoiceModel | null | undefined
  isLost: boolean
  count: number
}

function statusOf({ playback, isRefused, model, isLost, count }: Known): string {
  if (navigator.onLine === false && !playback) return t('You’re offline. Reconnect to listen.')
  if (isLost) return t('The service could not be reached.')
  if (model === null) return t('No speech model is connected.')
  if (count === 0) return t('This answer has no text to read aloud.')
  if (isRefused) return t('Sign in and add credit to listen.')
  if (!playback || playback.phase === 'loading') return t('Preparing audio…')
  if (playback.phase === 'failed' && capOf(playback.failure)) return playback.failure?.message ?? ''
  if (playback.phase === 'failed') {
    return t('Reading stopped: {reason}', { reason: playback.failure?.message ?? '' })
  }
  if (playback.phase === 'paused') return t('Paused')
  return t('Reading {part} of {parts}', { part: Math.min(playback.heard + 1, count), parts: count })
}

type Playback = {
  phase: 'loading' | 'playing' | 'paused' | 'ended' | 'failed'
  heard: number
  cost: Usd
  failure?: Failure
}

type Reader = { pauseOrGoOn(): void; retry(): void; stop(): void }

const PLAYED = ['mp3', 'wav', 'flac', 'aac']

function readAloud(pieces: string[], model: VoiceModel, show: (playback: Playback) => void): Reader {
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
