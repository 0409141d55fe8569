import { Sentence } from '@/components/ui/sentence'
import { formatPrice } from '@/lib/browser/format/cost'
import type { ModelCard } from '@/lib/browser/models'
import { formatNumber, t } from '@/lib/i18n/t'

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

/** @example compactTokens(131_072) // "128k" */
export function compactTokens(tokens: number): string {
  if (tokens < 1000) return formatNumber(tokens)
  // Most windows are powers of two, and are called by them: 131,072 is 128k.
  const thousand = tokens % 1024 === 0 ? 1024 : 1000
  return tokens < 1_000_000
    ? `${formatNumber(Math.round(tokens / thousand))}k`
    : `${formatNumber(Number((tokens / 1_000_000).toFixed(1)))}M`
}

export const roundTokens = (tokens: number): number => (tokens < 100 ? tokens : Number(tokens.toPrecision(2)))
