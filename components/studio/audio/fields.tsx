'use client'

import { LoaderCircle, Play, Square } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { SpeechModel } from '@/components/studio/audio/audio-model'
import { claimSpeaker } from '@/components/studio/audio/player'
import { fetchSample } from '@/components/studio/audio/send'
import { gatePassage } from '@/components/studio/generation-store'
import { RangeField } from '@/components/studio/parts/fields'
import { IconButton } from '@/components/ui/button'
import { SelectField } from '@/components/ui/form-fields'
import { passGate } from '@/lib/browser/account-gate'
import { failureOf } from '@/lib/browser/failure'
import { formatExactMoney, voiceCost } from '@/lib/browser/format/cost'
import { assertDay, countSpent } from '@/lib/browser/spending'
import { usdNumber } from '@/lib/contract/money'
import { formatNumber, language, t } from '@/lib/i18n/t'

// English for every reader: most voices speak it, and samples stay comparable.
const SAMPLE = 'This is how I sound. Shall I read your text?'
const PLAYED = ['mp3', 'aac', 'wav', 'flac']

type VoiceFieldProps = { model: SpeechModel; value: string; onChange: (voice: string) => void }

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

// Names of Kokoro's voices: the first letter is the accent, the second the gender.
const KOKORO = /^([ab])([fm])_([a-z]+)$/

/** @example voiceLabel('af_heart') // "Heart · American, female" */
export function voiceLabel(voice: string): string {
  const [, accent, who] = KOKORO.exec(voice) ?? []
  const shown = { name: voiceName(voice) }
  if (!accent) return voice
  if (accent === 'a') return who === 'f' ? t('{name} · American, female', shown) : t('{name} · American, male', shown)
  return who === 'f' ? t('{name} · British, female', shown) : t('{name} · British, male', shown)
}

/** @example voiceName('af_heart') // "Heart" */
export function voiceName(voice: string): string {
  const name = KOKORO.exec(voice)?.[3]
  return name ? name.charAt(0).toUpperCase() + name.slice(1) : voice
}

// Samples by model and voice, so that each is paid for once a page.
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
      const audio = await sampleOf(model, voice, signal)
      signal.throwIfAborted()
      if (!audio) return controller.abort()
      setState('playing')
      await play(audio, signal)
    } catch (error) {
      if (!signal.aborted) setProblem(failureOf(error).message)
    }
    controller.abort()
  }
  return { state, problem, toggle: () => (state === 'silent' ? void start() : running.current?.abort()) }
}

/** Undefined where the person did not sign in. @throws as `fetchSample` does; CapReached. */
async function sampleOf(model: SpeechModel, voice: string, signal: AbortSignal): Promise<Blob | undefined> {
  const key = `${model.id} ${voice}`
  const known = samples.get(key)
  if (known) return known
  if (await passGate(gatePassage(model.price === undefined))) return undefined
  await assertDay()
  const format = PLAYED.find((one) => model.formats.includes(one))
  const body = { model: model.id, input: SAMPLE, voice: voice || undefined, response_format: format }
  const audio = await fetchSample(body, signal)
  countSpent(usdNumber(voiceCost(SAMPLE.length, model.price)))
  samples.set(key, audio)
  return audio
}

async function play(audioFile: Blob, signal: AbortSignal): Promise<void> {
  const url = URL.createObjectURL(audioFile)
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

// Speeds are heard as ratios: half and double are as far from natural as each other.
const STEP = 0.02
const GRAIN = 20

type SpeedFieldProps = { value: number; min: number; max: number; onChange: (speed: number) => void }

export function SpeedField({ value, min, max, onChange }: SpeedFieldProps) {
  return (
    <RangeField
      label={t('Speed')}
      value={Math.log2(value)}
      min={Math.log2(min)}
      max={Math.log2(max)}
      step={STEP}
      shown={t('{speed}×', { speed: formatNumber(value, { minimumFractionDigits: 2 }) })}
      onChange={(power) => onChange(Math.min(max, Math.max(min, Math.round(2 ** power * GRAIN) / GRAIN)))}
    />
  )
}

// ISO 639-1.
const LANGUAGES =
  'ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nl no pl pt ro ru sk sl sr sv sw ta th tr uk ur vi zh'

type LanguageFieldProps = { label: string; unset: string; value: string; onChange: (code: string) => void }

export function LanguageField({ label, unset, value, onChange }: LanguageFieldProps) {
  const tag = language()
  const options = useMemo(() => {
    const names = new Intl.DisplayNames([tag], { type: 'language' })
    const named = LANGUAGES.split(' ').map((code) => ({ value: code, label: names.of(code) ?? code }))
    return named.sort((one, other) => one.label.localeCompare(other.label, tag))
  }, [tag])
  return (
    <SelectField label={label} value={value} options={[{ value: '', label: unset }, ...options]} onChange={onChange} />
  )
}
