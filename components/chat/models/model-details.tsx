'use client'

import { BADGES } from '@/components/chat/models/model-filter'
import { Button } from '@/components/ui/button'
import { Sentence } from '@/components/ui/sentence'
import { StarButton } from '@/components/ui/star-button'
import { formatPrice } from '@/lib/browser/format/cost'
import { compactTokens } from '@/lib/browser/format/numbers'
import { type ModelCard, unavailableMessage } from '@/lib/browser/models'
import { formatDate, t } from '@/lib/i18n/t'

type ModelDetailsProps = {
  model: ModelCard
  isStarred: boolean
  isBusy: boolean
  onStar: (id: string) => void
  onPick: (id: string) => void
}

export function ModelDetails({ model, isStarred, isBusy, onStar, onPick }: ModelDetailsProps) {
  const can = BADGES.filter(({ badge }) => model.badges.includes(badge))
  return (
    <section aria-label={t('About this model')} className="flex min-h-0 flex-1 flex-col gap-3 p-4">
      <div className="thin-scroll min-h-0 flex-1 overflow-y-auto">
        <p className="font-serif text-18 wrap-anywhere">{model.name}</p>
        <p className="font-mono text-12 wrap-anywhere text-ink-3">{model.id}</p>
        {model.description && <p className="mt-2 text-13 wrap-anywhere text-ink-2">{model.description}</p>}
        {model.isOffline && <p className="mt-2 text-13 text-danger">{unavailableMessage(model)}</p>}
        {isBusy && !model.isOffline && (
          <p className="mt-2 text-13 text-ink-2">{t('At capacity when you tried a few minutes ago.')}</p>
        )}
        {model.retiresAt && <Retires at={model.retiresAt} />}
        <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-13">
          <Fact name={t('Input per 1M tokens')}>{model.price ? formatPrice(model.price.input) : t('free')}</Fact>
          {model.price?.cachedInput !== undefined && (
            <Fact name={t('Cached input per 1M tokens')}>{formatPrice(model.price.cachedInput)}</Fact>
          )}
          <Fact name={t('Output per 1M tokens')}>{model.price ? formatPrice(model.price.output) : t('free')}</Fact>
          {model.contextTokens > 0 && <Fact name={t('Context')}>{compactTokens(model.contextTokens)}</Fact>}
          {model.maxOutputTokens > 0 && (
            <Fact name={t('Max answer length')}>{compactTokens(model.maxOutputTokens)}</Fact>
          )}
        </dl>
        <ul className="mt-3 list-disc space-y-0.5 ps-4 text-13 text-ink-2 marker:text-ink-3">
          {can.map(({ badge, says }) => (
            <li key={badge}>{t(says)}</li>
          ))}
          <li>{t('Reads documents')}</li>
          <li>
            {model.privacy === 'private'
              ? t('Does not store what you send')
              : t('Runs on an external service; your identity is not shared')}
          </li>
          {model.isBeta && <li>{t('Beta')}</li>}
        </ul>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" disabled={model.isOffline} onClick={() => onPick(model.id)}>
          {t('Use this model')}
        </Button>
        <StarButton name={model.name} isStarred={isStarred} onStar={() => onStar(model.id)} />
      </div>
    </section>
  )
}

function Retires({ at }: { at: string }) {
  const day = new Date(at)
  const text = Number.isNaN(day.getTime()) ? at : formatDate(day, { dateStyle: 'long', timeZone: 'UTC' })
  return (
    <p className="mt-2 text-13 text-danger">
      {t('Retires on {day}. You can continue your chats with another model.', { day: text })}
    </p>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="text-end font-mono text-12 leading-[1.125rem]">{children}</dd>
    </>
  )
}

export function Price({ price }: Pick<ModelCard, 'price'>) {
  if (!price) return <span className="shrink-0 text-12 text-ink-3">{t('free')}</span>
  return (
    <span className="shrink-0 font-mono text-12 text-ink-2" title={t('USD per 1M tokens, input and output')}>
      <Sentence
        text="{input} <unit>in ·</unit> {output} <unit>out</unit>"
        parts={{ unit: (text) => <span className="text-ink-3">{text}</span> }}
        values={{ input: formatPrice(price.input), output: formatPrice(price.output) }}
      />
    </span>
  )
}
