import { Check, Star } from 'lucide-react'
import { memo } from 'react'
import { compactTokens, Price } from '@/components/chat/models/price'
import type { ModelCard } from '@/lib/browser/models'
import { t } from '@/lib/i18n/t'

type ModelOptionProps = {
  id: string
  model: ModelCard
  /** Its place among all, from 0. */
  at: number
  count: number
  isActive: boolean
  isChosen: boolean
  isStarred: boolean
  isBusy: boolean
  onPick: (id: string) => void
  onPoint: (id: string) => void
  onStar: (id: string) => void
}

/** One model in the list. Drawn anew only when it changes: a key pressed in the search leaves most as they are. */
export const ModelOption = memo(function ModelOption(props: ModelOptionProps) {
  const { id, model, at, count, isActive, isChosen, isStarred, isBusy, onPick, onPoint, onStar } = props
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: keys are handled by the search field, which keeps the focus
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-disabled={model.isOffline}
      aria-posinset={at + 1}
      aria-setsize={count}
      onClick={() => !model.isOffline && onPick(model.id)}
      onPointerMove={() => !isActive && onPoint(model.id)}
      className={`flex cursor-default gap-2 rounded-control px-2 py-2 ${isActive ? 'bg-hover' : ''}`}
    >
      <Check
        aria-hidden="true"
        className={`mt-0.5 size-4 shrink-0 text-accent ${isChosen ? '' : 'invisible'}`}
        strokeWidth={2}
      />
      <div className="min-w-0 flex-1">
        <div className="flex items-baseline justify-between gap-3">
          <span className={`truncate text-14 font-medium ${model.isOffline ? 'text-ink-3' : ''}`}>{model.name}</span>
          <Price price={model.price} />
        </div>
        <Facts model={model} isBusy={isBusy} />
      </div>
      {isStarred && <span className="sr-only">{t('favourite')}</span>}
      {/* For pointers. The same is a button below the list, for keys and screen readers. */}
      <span
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation()
          onStar(model.id)
        }}
        className={`-my-2 -me-2 flex w-9 shrink-0 items-center justify-center pointer-coarse:w-11 ${isStarred ? 'text-accent' : 'text-ink-3 hover:text-ink'} ${isStarred || isActive ? '' : 'opacity-0 pointer-coarse:opacity-100'}`}
      >
        <Star className={`size-4 ${isStarred ? 'fill-current' : ''}`} strokeWidth={1.5} />
      </span>
    </div>
  )
})

function Facts({ model, isBusy }: { model: ModelCard; isBusy: boolean }) {
  return (
    <div className="mt-0.5 flex flex-wrap gap-x-2 text-12 text-ink-3">
      {model.isOffline && (
        <span className="text-danger">
          {model.refusesTestCredit ? t('unavailable with test credit') : t('currently unavailable')}
        </span>
      )}
      {isBusy && !model.isOffline && <span className="text-ink-2">{t('recently at capacity')}</span>}
      {model.contextTokens > 0 && <span>{t('{tokens} context', { tokens: compactTokens(model.contextTokens) })}</span>}
      {model.badges.map((badge) => (
        <span key={badge}>{t(badge)}</span>
      ))}
      <span>{model.privacy === 'private' ? t('no data retention') : t('anonymised')}</span>
      {model.isBeta && <span>{t('beta')}</span>}
      {model.retiresAt && (
        <span className="text-danger">{t('retires {day}', { day: model.retiresAt.slice(0, 10) })}</span>
      )}
    </div>
  )
}
