'use client'

import type { UseQueryResult } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { createPart, usePopover } from '@/components/ui/part'
import { useCommand } from '@/lib/browser/commands'
import type { ModelCard } from '@/lib/browser/models'
import { t } from '@/lib/i18n/t'

const modelPopover = createPart(() => import('@/components/chat/models/model-popover'))

const TRIGGER =
  'inline-flex min-h-9 min-w-0 items-center gap-1.5 rounded-control px-2 text-14 text-ink-2 hover:bg-hover hover:text-ink aria-expanded:bg-hover aria-expanded:text-ink pointer-coarse:min-h-11'

type ModelPickerProps = {
  models: UseQueryResult<ModelCard[]>
  model: ModelCard | undefined
  onPick: (id: string) => void
}

export function ModelPicker({ models, model, onPick }: ModelPickerProps) {
  const { trigger, popover, toggle } = usePopover(modelPopover)
  useCommand('models', toggle, { isEnabled: model !== undefined })
  if (models.isError) {
    return (
      <button type="button" className={`${TRIGGER} text-danger`} onClick={() => models.refetch()}>
        {t('Models unavailable. Retry')}
      </button>
    )
  }
  if (models.isSuccess && models.data.length === 0) return null
  return (
    <>
      <button
        {...trigger}
        type="button"
        disabled={!model}
        aria-label={model ? modelLabel(model) : t('Model: loading')}
        title={t('Choose a model')}
        className={TRIGGER}
      >
        {model ? <span className="truncate">{model.name}</span> : <span className="skeleton h-4 w-28" />}{' '}
        {model?.isDemo && (
          <span className="shrink-0 rounded-chip bg-sunken px-1.5 text-12 text-ink-2">{t('Demo')}</span>
        )}
        <ChevronDown aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.5} />
      </button>
      {popover && (
        <popover.part.ModelPopover {...popover.props} models={models.data ?? []} chosenId={model?.id} onPick={onPick} />
      )}
    </>
  )
}

const modelLabel = ({ name, isDemo }: ModelCard): string =>
  isDemo ? t('Model: {name}, demo', { name }) : t('Model: {name}', { name })
