'use client'

import { useQuery } from '@tanstack/react-query'
import { Pause, Play, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type Playback, type Reader, readAloud, spokenPieces } from '@/components/chat/voice/read-aloud'
import { requestReadAloud, type Wanted } from '@/components/chat/voice/read-aloud-store'
import { speechModelQuery, type VoiceModel } from '@/components/chat/voice/voice-models'
import { RaiseCap } from '@/components/common/raise-cap'
import { IconButton } from '@/components/ui/button'
import { passGate } from '@/lib/browser/account-gate'
import { formatExactMoney, voiceCost } from '@/lib/browser/format/cost'
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
