'use client'

import { useQuery } from '@tanstack/react-query'
import { formatPrice } from '@/lib/browser/format/cost'
import { chosenModel, type ModelCard } from '@/lib/browser/models'
import { usePreference } from '@/lib/browser/preferences'
import { modelsQuery } from '@/lib/browser/queries'
import { t } from '@/lib/i18n/t'

/** Which model a chat begins with, and what it costs. */
export function ModelLine({ presetId }: { presetId: string | null }) {
  const models = useQuery(modelsQuery())
  const [wanted] = usePreference('model')
  if (models.isPending) return <div aria-hidden="true" className="skeleton h-4.5 w-72 max-w-full" />
  const preset = models.data?.find(({ id, isOffline }) => id === presetId && !isOffline)
  const model = preset ?? chosenModel(models.data ?? [], wanted)
  if (!model) return null
  return (
    <p className="text-13 text-ink-2">
      {preset
        ? t('Recommended model: {model}.', { model: model.name })
        : t('Your chat starts with {model}, your current model.', { model: model.name })}{' '}
      {priceWords(model)} {t('Starting a chat is free. You can switch models at any time.')}
    </p>
  )
}

function priceWords({ price }: ModelCard): string {
  if (!price) return t('Price: free.')
  return t('Price per million tokens: {input} input, {output} output.', {
    input: formatPrice(price.input),
    output: formatPrice(price.output),
  })
}
