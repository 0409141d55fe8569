'use client'

import { X } from 'lucide-react'
import { setSecondModel, useSecondModel } from '@/components/chat/asking/answer-store'
import { Price } from '@/components/chat/models/price'
import { IconButton } from '@/components/ui/button'
import type { ModelCard } from '@/lib/browser/models'
import { t } from '@/lib/i18n/t'

type CompareStripProps = { models: ModelCard[]; model: ModelCard }

export function CompareStrip({ models, model }: CompareStripProps) {
  const secondId = useSecondModel()
  const second = models.find(({ id }) => id === secondId)
  if (!second || second.id === model.id) return null
  return (
    <section aria-label={t('Two models')} className="sheet-grid pb-2">
      <div className="sheet-words flex items-start gap-2 rounded-card border border-line bg-surface py-1.5 ps-4 pe-1.5">
        <div className="min-w-0 flex-1 py-1">
          <p className="text-13 text-ink-2">{t('Both models answer. You pay for both.')}</p>
          <dl className="mt-1 grid gap-x-6 gap-y-0.5 sm:grid-cols-2">
            {[model, second].map(({ id, name, price }) => (
              <div key={id} className="flex flex-wrap items-baseline justify-between gap-x-3">
                <dt className="truncate text-14">{name}</dt>
                <dd>
                  <Price price={price} />
                </dd>
              </div>
            ))}
          </dl>
        </div>
        <IconButton label={t('Remove second model')} onClick={() => setSecondModel(undefined)}>
          <X aria-hidden="true" />
        </IconButton>
      </div>
    </section>
  )
}
