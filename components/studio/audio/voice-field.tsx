'use client'

import { LoaderCircle, Play, Square } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { SpeechModel } from '@/components/studio/audio/models'
import { claimSpeaker } from '@/components/studio/audio/one-at-a-time'
import { fetchSample } from '@/components/studio/audio/send'
import { passage } from '@/components/studio/generation-store'
import { IconButton } from '@/components/ui/button'
import { SelectField } from '@/components/ui/form-fields'
import { passGate } from '@/lib/browser/account-gate'
import { failureOf } from '@/lib/browser/failure'
import { formatExactMoney } from '@/lib/browser/format/cost'
import { voiceCost } from '@/lib/browser/format/voice-cost'
import { assertDay, countSpent } from '@/lib/browser/spending'
import { usdNumber } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

/** In English, whoever reads the page: it is what most voices speak, and the same of each. */
const SAMPLE = 'This is how I sound. Shall I read your text?'
/** What every browser plays, smallest first. */
const PLAYED = ['mp3', 'aac', 'wav', 'flac']

type VoiceFieldProps = { model: SpeechModel; value: string; onChange: (voice: string) => void }

/** Which voice says it, and how that one sounds. */
export function VoiceField({ model, value, onChange }: VoiceFieldProps) {
  const sample = useSample(model, value)
  if (model.voices.length === 0) return null
  const cost = voiceCost(SAMPLE.length, model.price)
  const name = value || t('default voice')
  const label =
    sample.state === 'silent'
      ? t('Preview {voice} for {cost}', { voice: name, cost: formatExactMoney(cost) })
      : t('Stop')
  return (
    <div>
      <div className="flex items-end gap-1.5">
        <SelectField
          label={t('Voice')}
          value={value || (model.voices[0] ?? '')}
          options={model.voices.map((voice) => ({ value: voice, label: voiceLabel(voice) }))}
          onChange={onChange}
        />
        <IconButton
          label={label}
          onClick={sample.toggle}
          className="mb-px border border-line bg-surface pointer-fine:size-10"
        >
          {sample.state === 'silent' && <Play aria-hidden="true" />}
          {sample.state === 'loading' && <LoaderCircle aria-hidden="true" className="motion-safe:animate-spin" />}
          {sample.state === 'playing' && <Square aria-hidden="true" />}
        </IconButton>
      </div>
      <p role="status" className="mt-1 text-13 text-ink-2 empty:hidden">
        {sample.problem}
      </p>
    </div>
  )
}

/** Kokoro's voices say by their names where they are from: the first letter is the accent, the second who speaks. */
const KOKORO = /^([ab])([fm])_([a-z]+)$/

/** A name as people read it, where it is of a known kind. @example voiceLabel('af_heart') // "Heart · American, female" */
export function voiceLabel(voice: string): string {
  const [, accent, who] = KOKORO.exec(voice) ?? []
  const shown = { name: voiceName(voice) }
  if (!accent) return voice
  if (accent === 'a') return who === 'f' ? t('{name} · American, female', shown) : t('{name} · American, male', shown)
  return who === 'f' ? t('{name} · British, female', shown) : t('{name} · British, male', shown)
}

/** The name alone, for a line of facts. @example voiceName('af_heart') // "Heart" */
export function voiceName(voice: string): string {
  const name = KOKORO.exec(voice)?.[3]
  return name ? name.charAt(0).toUpperCase() + name.slice(1) : voice
}

/** Samples of this page, by model and voice: each is paid for once. */
const samples = new Map<string, Blob>()

type Sample = { state: 'silent' | 'loading' | 'playing'; problem: string; toggle: () => void }

function useSample(model: SpeechModel, voice: string): Sample {
  const [state, setState] = useState<Sample['state']>('silent')
  const [problem, setProblem] = useState('')
  const running = useRef<AbortController>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another voice is another sample
  useEffect(() => {
    setProblem('')
    return () => running.current?.abort()
  }, [model.id, voice])
  const start = async () => {
    const controller = new AbortController()
    const { signal } = controller
    running.current = controller
    signal.addEventListener('abort', () => setState('silent'), { once: true })
    setProblem('')
    setState('loading')
    try {
      const sound = await sampleOf(model, voice, signal)
      signal.throwIfAborted()
      if (!sound) return controller.abort()
      setState('playing')
      await play(sound, signal)
    } catch (error) {
      if (!signal.aborted) setProblem(failureOf(error).message)
    }
    controller.abort()
  }
  return { state, problem, toggle: () => (state === 'silent' ? void start() : running.current?.abort()) }
}

/** Nothing where the person did not sign in for it. @throws as `fetchSample` does; CapReached. */
async function sampleOf(model: SpeechModel, voice: string, signal: AbortSignal): Promise<Blob | undefined> {
  const key = `${model.id} ${voice}`
  const known = samples.get(key)
  if (known) return known
  if (await passGate(passage(model.price === undefined))) return undefined
  await assertDay()
  const format = PLAYED.find((one) => model.formats.includes(one))
  const body = {
    model: model.id,
    input: SAMPLE,
    ...(voice && { voice }),
    ...(format && { response_format: format }),
  }
  const sound = await fetchSample(body, signal)
  countSpent(usdNumber(voiceCost(SAMPLE.length, model.price)))
  samples.set(key, sound)
  return sound
}

async function play(sound: Blob, signal: AbortSignal): Promise<void> {
  const url = URL.createObjectURL(sound)
  const audio = new Audio(url)
  try {
    await new Promise<void>((resolve, reject) => {
      audio.onended = () => resolve()
      audio.onpause = () => resolve()
      audio.onerror = () => reject(new Error('This browser cannot play it'))
      signal.addEventListener('abort', () => audio.pause(), { once: true })
      claimSpeaker(audio, () => audio.pause())
      audio.play().catch(reject)
    })
  } finally {
    URL.revokeObjectURL(url)
  }
}
