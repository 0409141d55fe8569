'use client'

import { X } from 'lucide-react'
import { setSecondModel, useSecondModel } from '@/components/chat/asking/answer-store'
import { modelName, type TurnActions } from '@/components/chat/chat-actions'
import { Price } from '@/components/chat/models/model-details'
import { AnswerText } from '@/components/chat/turns/answer'
import { Ending } from '@/components/chat/turns/ending'
import { Receipt } from '@/components/chat/turns/receipt'
import { Button, IconButton } from '@/components/ui/button'
import type { ModelCard } from '@/lib/browser/models'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

type ComparisonProps = { turns: Turn[]; models: ModelCard[]; actions: TurnActions; isBusy: boolean }

export function Comparison({ turns, models, actions, isBusy }: ComparisonProps) {
  return (
    <section aria-label={t('Answers side by side')} className="px-4 pt-5 lg:pe-[calc(var(--gutter)+1rem)]">
      <div className="mx-auto grid max-w-[70rem] gap-4 md:grid-cols-2">
        {turns.map((turn) => (
          <Column key={turn.id} turn={turn} models={models} actions={actions} isBusy={isBusy} />
        ))}
      </div>
    </section>
  )
}

/** Keeping one answer ends the comparison: the others are stopped, and paid as far as they came. */
function Column({ turn, models, actions, isBusy }: Omit<ComparisonProps, 'turns'> & { turn: Turn }) {
  const isStreaming = turn.status === 'streaming'
  const name = modelName(models, turn.modelId)
  return (
    <article
      aria-label={t('Assistant')}
      aria-busy={isStreaming}
      data-turn={turn.id}
      tabIndex={-1}
      className="flex min-w-0 flex-col rounded-card border border-line bg-surface p-4"
    >
      <h2 className="mb-3 border-b border-line pb-2 text-14 font-medium">{name}</h2>
      <div className="min-w-0 flex-1">
        <AnswerText turn={turn} models={models} />
        {!isStreaming && <Ending turn={turn} models={models} actions={actions} isBusy={isBusy} />}
      </div>
      <div className="mt-3 flex flex-wrap items-center justify-between gap-2 border-t border-line pt-3">
        <Button
          kind={isStreaming || !turn.text ? 'quiet' : 'primary'}
          disabled={isStreaming || !turn.text}
          aria-label={t('Keep this answer: {name}', { name })}
          onClick={() => actions.keep(turn)}
        >
          {t('Keep this answer')}
        </Button>
        {turn.receipt && (
          <span className="compared-receipt">
            <Receipt receipt={turn.receipt} modelName={modelName(models, turn.receipt.model)} />
          </span>
        )}
      </div>
    </article>
  )
}

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
