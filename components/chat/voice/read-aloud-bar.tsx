'use client'

import { useQuery } from '@tanstack/react-query'
import { Pause, Play, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type Reader, type Reading, readAloud } from '@/components/chat/voice/reader'
import { type Wanted, wantReading } from '@/components/chat/voice/reading-store'
import { spokenPieces } from '@/components/chat/voice/spoken-pieces'
import { assertReading } from '@/components/chat/voice/voice-cap'
import { speakerQuery, type VoiceModel } from '@/components/chat/voice/voice-models'
import { RaiseCap } from '@/components/common/raise-cap'
import { IconButton } from '@/components/ui/button'
import { passGate } from '@/lib/browser/account-gate'
import { formatExactMoney } from '@/lib/browser/format/cost'
import { voiceCost } from '@/lib/browser/format/voice-cost'
import { assertDay, countSpent } from '@/lib/browser/spending'
import { type Usd, usdNumber } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

type ReadAloudBarProps = { wanted: Wanted }

/** Reads an answer aloud: how far it is, what it has cost, and how to stop it. */
export function ReadAloudBar({ wanted }: ReadAloudBarProps) {
  const model = useQuery(speakerQuery())
  const pieces = useMemo(() => spokenPieces(wanted.text), [wanted.text])
  const { reading, reader, isKept } = useReader(pieces, model.data)
  const hasEnded = reading?.phase === 'ended'
  useEffect(() => {
    if (hasEnded) wantReading(undefined)
  }, [hasEnded])
  const isPaused = reading?.phase === 'paused'
  const cap = reading?.phase === 'failed' ? capOf(reading.failure) : undefined
  const whole = voiceCost(pieces.join('').length, model.data?.price)
  return (
    // Above the words, and not over them: on a phone it is as wide as they are.
    <section aria-label={t('Reading aloud')} className="order-first flex shrink-0 justify-center px-4 pt-2">
      <div className="enter flex max-w-full items-center gap-1 rounded-card border border-line bg-surface py-1 ps-4 pe-1 text-14 text-ink shadow-one">
        <p role="status" className="min-w-0">
          {statusOf({ reading, isKept, model: model.data, isLost: model.isError, count: pieces.length })}
        </p>
        {reading && (
          <span className="shrink-0 ps-2 font-mono text-12 text-ink-2 tabular-nums">
            {t('{cost} of {whole}', { cost: formatExactMoney(reading.cost), whole: formatExactMoney(whole) })}
          </span>
        )}
        {(reading?.phase === 'playing' || isPaused) && (
          <IconButton label={isPaused ? t('Resume') : t('Pause')} onClick={() => reader.current?.pauseOrGoOn()}>
            {isPaused ? <Play aria-hidden="true" /> : <Pause aria-hidden="true" />}
          </IconButton>
        )}
        {cap && (
          <RaiseCap name={cap} isBusy={false} goOn={t('Save and continue')} onRaised={() => reader.current?.retry()} />
        )}
        <IconButton label={t('Stop reading aloud')} onClick={() => wantReading(undefined)}>
          <X aria-hidden="true" />
        </IconButton>
      </div>
    </section>
  )
}

const onCost = (cost: Usd) => countSpent(usdNumber(cost))

async function mayGoOn(total: Usd): Promise<void> {
  assertReading(total)
  await assertDay()
}

/** Begins when the model is known and the person may ask, and stops when the bar goes away. */
function useReader(pieces: string[], model: VoiceModel | null | undefined) {
  const [reading, setReading] = useState<Reading>()
  const [isKept, setIsKept] = useState(false)
  const reader = useRef<Reader>(undefined)
  useEffect(() => {
    if (!model || pieces.length === 0) return
    let isGone = false
    const passage = {
      why: t('To listen to this answer'),
      whyCredit: t('The answer is read aloud once you add credit.'),
      isFree: model.price === undefined,
    }
    void passGate(passage).then((kept) => {
      if (isGone) return
      if (kept) setIsKept(true)
      else reader.current = readAloud(pieces, model, { show: setReading, mayGoOn, onCost })
    })
    return () => {
      isGone = true
      reader.current?.stop()
    }
  }, [pieces, model])
  return { reading, reader, isKept }
}

/** The cap of this browser that stopped it. */
const capOf = (failure: Reading['failure']) =>
  failure?.code === 'CAP_PER_MESSAGE' ? 'capPerMessage' : failure?.code === 'CAP_PER_DAY' ? 'capPerDay' : undefined

type Known = {
  reading: Reading | undefined
  isKept: boolean
  model: VoiceModel | null | undefined
  isLost: boolean
  count: number
}

function statusOf({ reading, isKept, model, isLost, count }: Known): string {
  if (navigator.onLine === false && !reading) return t('You’re offline. Reconnect to listen.')
  if (isLost) return t('The service could not be reached.')
  if (model === null) return t('No speech model is connected.')
  if (count === 0) return t('This answer has no text to read aloud.')
  if (isKept) return t('Sign in and add credit to listen.')
  if (!reading || reading.phase === 'loading') return t('Preparing audio…')
  if (reading.phase === 'failed' && capOf(reading.failure)) return reading.failure?.message ?? ''
  if (reading.phase === 'failed') {
    return t('Reading stopped: {reason}', { reason: reading.failure?.message ?? '' })
  }
  if (reading.phase === 'paused') return t('Paused')
  return t('Reading {part} of {parts}', { part: Math.min(reading.heard + 1, count), parts: count })
}
