'use client'

import type { RefObject } from 'react'
import { sourcesText } from '@/components/markdown/citations/sources'
import { AnchoredPopover } from '@/components/ui/anchored-popover'
import { CopyButton } from '@/components/ui/copy-button'
import { OVERLAY } from '@/components/ui/menu'
import { formatExactMoney } from '@/lib/browser/format/cost'
import { formatSeconds } from '@/lib/browser/format/numbers'
import type { ReceiptSum } from '@/lib/browser/storage/thread'
import { formatNumber, t } from '@/lib/i18n/t'

type ReceiptPopoverProps = {
  receipt: ReceiptSum
  modelName: string
  isOpen: boolean
  onClose: () => void
  anchor: RefObject<HTMLElement | null>
}

export function ReceiptPopover({ receipt, modelName, ...place }: ReceiptPopoverProps) {
  return (
    <AnchoredPopover {...place} label={t('Receipt')} side="bottom" align="end" className={`${OVERLAY} w-72 p-4`}>
      <Details receipt={receipt} modelName={modelName} />
    </AnchoredPopover>
  )
}

function Details({ receipt, modelName }: Pick<ReceiptPopoverProps, 'receipt' | 'modelName'>) {
  const { tokens, cost, durationMs, requestIds, sources, sourcesCost, readingCost, character } = receipt
  const speed = durationMs > 0 ? (tokens.output * 1000) / durationMs : 0
  return (
    <>
      <dl className="space-y-1.5 text-13">
        <Row name={t('Model')} value={modelName} />
        <Row name={t('Input tokens')} value={formatNumber(tokens.input)} />
        {tokens.cached > 0 && <Row name={t('of which cached')} value={formatNumber(tokens.cached)} isPart />}
        <Row name={t('Output tokens')} value={formatNumber(tokens.output)} />
        {tokens.reasoning > 0 && <Row name={t('of which thinking')} value={formatNumber(tokens.reasoning)} isPart />}
        {sources !== undefined && (
          <Row
            name={t('Web search')}
            value={[sourcesText(sources), ...(sourcesCost ? [formatExactMoney(sourcesCost)] : [])].join(' · ')}
          />
        )}
        {readingCost !== undefined && <Row name={t('Reading attachments')} value={formatExactMoney(readingCost)} />}
        {character && <Row name={t('Character')} value={character} />}
        {durationMs > 0 && (
          <>
            <Row name={t('Duration')} value={formatSeconds(durationMs)} />
            <Row name={t('Speed')} value={t('{speed} tok/s', { speed: speedOf(speed) })} />
          </>
        )}
        <div className="flex items-baseline justify-between gap-4 border-t-3 border-double border-line pt-2">
          <dt>{t('Paid')}</dt>
          <dd className="font-mono font-medium text-brass">
            {cost === undefined ? t('price unknown') : formatExactMoney(cost)}
          </dd>
        </div>
      </dl>
      {requestIds.length > 0 && (
        <div className="mt-2 flex items-center justify-between gap-2 text-12 text-ink-3">
          <span dir="ltr" className="truncate font-mono">
            {requestIds.join(' ')}
          </span>
          <CopyButton text={requestIds.join(' ')} label={t('Copy request ID')} />
        </div>
      )}
    </>
  )
}

function Row({ name, value, isPart = false }: { name: string; value: string; isPart?: boolean }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className={isPart ? 'ps-3 text-ink-3' : 'text-ink-2'}>{name}</dt>
      <dd className="truncate font-mono text-12">{value}</dd>
    </div>
  )
}

function speedOf(tokensPerSecond: number): string {
  const decimals = tokensPerSecond < 10 ? 1 : 0
  return formatNumber(tokensPerSecond, { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}
