'use client'

import { useQuery } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import {
  longestRecordingMs,
  messageCap,
  transcriptionModelQuery,
  type VoiceModel,
} from '@/components/chat/voice/voice-models'
import { useRecording } from '@/components/common/recorder'
import { Button, IconButton } from '@/components/ui/button'
import { passGate } from '@/lib/browser/account-gate'
import { API_ROOT, request } from '@/lib/browser/api'
import { failureOf } from '@/lib/browser/failure'
import { convertAudio } from '@/lib/browser/files/audio'
import { formatExactMoney, voiceCost } from '@/lib/browser/format/cost'
import { formatLength } from '@/lib/browser/format/numbers'
import { assertDay, countSpent } from '@/lib/browser/spending'
import type { TranscriptionResponse } from '@/lib/contract/audio.schema'
import { usdNumber } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

type DictationProps = {
  field: RefObject<HTMLTextAreaElement | null>
  setDraft: (draft: string) => void
  onClose: () => void
}

export function Dictation({ field, setDraft, onClose }: DictationProps) {
  const model = useQuery(transcriptionModelQuery())
  const write = (transcript: string) => {
    const area = field.current
    const place = { start: area?.selectionStart ?? 0, end: area?.selectionEnd ?? 0 }
    const { text, caret } = insertText(area?.value ?? '', place, transcript)
    setDraft(text)
    onClose()
    // When the words are in the field.
    requestAnimationFrame(() => {
      area?.focus()
      area?.setSelectionRange(caret, caret)
    })
  }
  if (model.data) {
    const refusal = dictationRefusal(model.data)
    if (refusal) return <Message text={refusal} onClose={onClose} />
    return <Dictating model={model.data} onWords={write} onClose={onClose} />
  }
  if (model.isPending && navigator.onLine !== false)
    return <Message text={t('Finding a transcription model…')} {...{ onClose }} />
  const text =
    model.data === null ? t('No transcription model is connected.') : t('You’re offline. Reconnect to dictate.')
  return <Message text={text} onClose={onClose} />
}

function dictationRefusal({ price }: VoiceModel): string | undefined {
  const cap = messageCap()
  if (cap === undefined || price === undefined || longestRecordingMs(cap, price) > 0) return undefined
  return t('Even two seconds of dictation cost {cost}. Your cap is {cap} per message. Raise the cap to dictate.', {
    cost: formatExactMoney(voiceCost(2, price)),
    cap: formatExactMoney(cap),
  })
}

type DictatingProps = { model: VoiceModel; onWords: (text: string) => void; onClose: () => void }

function Dictating({ model, onWords: onText, onClose }: DictatingProps) {
  const writing = useWriting(model, onText)
  const cap = model.price === undefined ? undefined : messageCap()
  const maxMs = cap === undefined || model.price === undefined ? undefined : longestRecordingMs(cap, model.price)
  const { state, ms, stop } = useRecording((file) => void writing.begin(file), maxMs)
  if (state === 'refused' && writing.phase === 'none') {
    const text = t('Microphone not found or blocked. Allow microphone access in your browser and try again.')
    return <Message text={text} onClose={onClose} />
  }
  if (writing.phase === 'failed') return <Message text={writing.reason} onClose={onClose} onRetry={writing.retry} />
  const isWriting = writing.phase === 'writing'
  const seconds = Math.max(1, ms / 1_000)
  return (
    <section aria-label={t('Dictation')} className={ROW}>
      <IconButton label={t('Cancel dictation')} onClick={onClose}>
        <X aria-hidden="true" />
      </IconButton>
      <p role="status" className="min-w-0 flex-1 text-14 text-ink-2">
        {isWriting ? t('Transcribing…') : state === 'asking' ? t('Allow microphone access') : t('Listening…')}
      </p>
      <span className="font-mono text-12 text-ink-2 tabular-nums">
        {formatLength(ms)} · {formatExactMoney(voiceCost(seconds, model.price))}
        {cap !== undefined && ` · ${t('cap {cap}', { cap: formatExactMoney(cap) })}`}
      </span>
      <Button kind="primary" onClick={stop} disabled={isWriting || state !== 'recording'}>
        <Check aria-hidden="true" className="size-4" />
        {t('Done')}
      </Button>
    </section>
  )
}

type Writing = { phase: 'none' | 'writing' } | { phase: 'failed'; reason: string }

function useWriting(model: VoiceModel, onText: (text: string) => void) {
  const [writing, setWriting] = useState<Writing>({ phase: 'none' })
  const recording = useRef<File>(undefined)
  const ending = useRef<AbortController>(undefined)
  useEffect(() => () => ending.current?.abort(), [])

  async function begin(file: File): Promise<void> {
    recording.current = file
    const controller = new AbortController()
    ending.current = controller
    setWriting({ phase: 'writing' })
    try {
      const refused = await passGate({
        why: t('To dictate'),
        whyCredit: t('Your speech is transcribed once you add credit.'),
        isFree: model.price === undefined,
      })
      if (refused)
        return setWriting({ phase: 'failed', reason: t('Not transcribed. Sign in and add credit to dictate.') })
      await assertDay()
      const { text, seconds } = await transcribe(file, model.id, controller.signal)
      countSpent(usdNumber(voiceCost(seconds, model.price)))
      if (controller.signal.aborted) return
      if (text === '') setWriting({ phase: 'failed', reason: t('No speech detected.') })
      else onText(text)
    } catch (error) {
      if (controller.signal.aborted) return
      setWriting({ phase: 'failed', reason: t('Transcription failed: {reason}', { reason: failureOf(error).message }) })
    }
  }
  return { ...writing, begin, retry: () => recording.current && void begin(recording.current) }
}

type MessageProps = { text: string; onClose: () => void; onRetry?: () => void }

function Message({ text, onClose, onRetry }: MessageProps) {
  return (
    <section aria-label={t('Dictation')} className={`${ROW} flex-wrap px-2 py-1`}>
      <p role="status" className="flex-1 text-14 text-ink-2">
        {text}
      </p>
      {onRetry && <Button onClick={onRetry}>{t('Try again')}</Button>}
      <Button onClick={onClose}>{t('Close')}</Button>
    </section>
  )
}

const ROW = 'col-span-full row-start-3 flex items-center gap-3'

export function insertText(
  text: string,
  selection: { start: number; end: number },
  transcript: string,
): { text: string; caret: number } {
  const before = text.slice(0, selection.start)
  const after = text.slice(selection.end)
  const lead = before === '' || /\s$/.test(before) ? '' : ' '
  const tail = after === '' || /^[\s.,;:!?)\]}]/.test(after) ? '' : ' '
  const inserted = `${lead}${transcript.trim()}${tail}`
  return { text: before + inserted + after, caret: before.length + inserted.length }
}

/** The service itself gives up sooner. */
const TIMEOUT_MS = 150_000

/**
 * Transcribes a recording. It is sent as WAV, which every service reads; what this browser cannot convert goes as it
 * is. @throws ApiError, TypeError or DOMException as `fetch` does.
 */
async function transcribe(
  recording: File,
  model: string,
  signal: AbortSignal,
): Promise<{ text: string; seconds: number }> {
  const form = new FormData()
  form.set('file', await readable(recording, signal))
  form.set('model', model)
  const response = await request(`${API_ROOT}/audio/transcriptions`, {
    method: 'POST',
    body: form,
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  })
  const { text, duration } = (await response.json()) as TranscriptionResponse
  return { text: text.trim(), seconds: duration ?? 0 }
}

async function readable(recording: File, signal: AbortSignal): Promise<File> {
  try {
    const { blob } = await convertAudio(recording, { signal })
    return new File([blob], 'dictation.wav', { type: 'audio/wav' })
  } catch (error) {
    if (signal.aborted) throw error
    const ending = recording.type.split('/')[1] ?? 'webm'
    return new File([recording], `dictation.${ending}`, { type: recording.type })
  }
}
