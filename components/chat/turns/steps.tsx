'use client'

import { Ear, Eye, Film, Globe, type LucideIcon, TriangleAlert, Wrench } from 'lucide-react'
import type { ModelCard } from '@/lib/browser/models'
import type { Step } from '@/lib/browser/storage/records'
import { plural, t } from '@/lib/i18n/t'

type StepsProps = { steps: Step[]; models: ModelCard[] }

/** What was done for an answer besides writing it, in its order. */
export function Steps({ steps, models }: StepsProps) {
  if (steps.length === 0) return null
  return (
    <ul aria-label={t('Steps')} className="mb-3 space-y-1 text-14 text-ink-2">
      {steps.map((step, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added at the end
        <li key={at} className="flex items-start gap-2">
          <StepIcon step={step} />
          <StepWords step={step} models={models} />
        </li>
      ))}
    </ul>
  )
}

function StepIcon({ step }: { step: Step }) {
  const hasFailed = step.type === 'search' && step.outcome === 'failed'
  const Icon: LucideIcon =
    step.type === 'search' ? (hasFailed ? TriangleAlert : Globe) : step.type === 'tool' ? Wrench : READER[step.reads]
  const tone = hasFailed ? 'text-brass' : 'text-ink-3'
  return <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${tone}`} strokeWidth={1.5} />
}

const READER = { image_url: Eye, input_audio: Ear, video_url: Film } as const

function StepWords({ step, models }: { step: Step; models: ModelCard[] }) {
  if (step.type === 'search')
    return <span className={step.outcome === 'failed' ? 'text-brass' : ''}>{searchWords(step)}</span>
  if (step.type === 'assist') {
    const name = models.find(({ id }) => id === step.model)?.name ?? step.model
    return <span>{assistWords(step.reads, name)}</span>
  }
  return (
    <details className="min-w-0 flex-1">
      <summary className="w-fit wrap-anywhere">{t('Called {name}', { name: step.name })}</summary>
      {step.input && (
        <pre
          dir="ltr"
          className="thin-scroll mt-1 max-h-48 overflow-auto rounded-control bg-sunken p-2 font-mono text-12 whitespace-pre-wrap"
        >
          {step.input}
        </pre>
      )}
    </details>
  )
}

type SearchStep = Extract<Step, { type: 'search' }>

/** The step of an older chat has no outcome, only what was found. */
function searchWords({ sources, outcome = sources > 0 ? 'found' : 'nothing_found' }: SearchStep): string {
  switch (outcome) {
    case 'found':
      return sources === 0
        ? t('Searched the web')
        : plural(sources, { one: 'Searched the web: {count} source', other: 'Searched the web: {count} sources' })
    case 'nothing_found':
      return t('Searched the web: no results found')
    case 'failed':
      return t('Web search failed. This answer does not use the web.')
    case 'not_needed':
      return t('Web search not needed')
  }
}

function assistWords(reads: keyof typeof READER, name: string): string {
  if (reads === 'image_url') return t('Image read by {name}', { name })
  return reads === 'input_audio' ? t('Audio transcribed by {name}', { name }) : t('Video read by {name}', { name })
}
