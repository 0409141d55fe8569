'use client'

import { sourcesText } from '@/components/markdown/citations/sources'
import { createPart, usePopover } from '@/components/ui/part'
import { Sentence } from '@/components/ui/sentence'
import { formatExactMoney } from '@/lib/browser/format/cost'
import { formatSeconds } from '@/lib/browser/format/numbers'
import type { ReceiptSum } from '@/lib/browser/storage/thread'
import { formatNumber, t } from '@/lib/i18n/t'

const receiptPopover = createPart(() => import('@/components/chat/turns/receipt-popover'))

type ReceiptProps = { receipt: ReceiptSum; modelName: string }

export function Receipt({ receipt, modelName }: ReceiptProps) {
  const { tokens, cost, durationMs, sources, sourcesCost } = receipt
  const { trigger, popover } = usePopover(receiptPopover)
  return (
    <>
      <button
        {...trigger}
        type="button"
        className="receipt ledger group/receipt rounded-control px-1.5 py-1 text-end font-mono text-12 text-ink-3 tabular-nums transition-colors hover:text-ink-2 aria-expanded:text-ink-2 max-md:rounded-chip max-md:border max-md:border-line max-md:px-3 pointer-coarse:min-h-9 lg:mx-2 lg:px-2"
      >
        <span className="sr-only">{t('Receipt:')} </span>
        {cost !== undefined && (
          <span className="receipt-line font-medium text-ink-2 group-hover/receipt:text-brass group-aria-expanded/receipt:text-brass">
            {formatExactMoney(cost)}
            <Comma />
          </span>
        )}
        <span className="receipt-line receipt-more">
          <Sentence text="<counts/> tok" parts={{ counts: () => <InOut {...tokens} /> }} />
          <Comma />
        </span>
        {tokens.cached > 0 && (
          <span className="receipt-line receipt-more">
            {t('{tokens} cached', { tokens: tokens.cached })}
            <Comma />
          </span>
        )}
        {sources !== undefined && (
          <span className="receipt-line receipt-more">
            {sourcesText(sources)}
            <Comma />
          </span>
        )}
        {sourcesCost !== undefined && (
          <span className="receipt-line receipt-more">
            {t('search {cost}', { cost: formatExactMoney(sourcesCost) })}
            <Comma />
          </span>
        )}
        {durationMs > 0 && <span className="receipt-line">{formatSeconds(durationMs)}</span>}
      </button>
      {popover && <popover.part.ReceiptPopover {...popover.props} receipt={receipt} modelName={modelName} />}
    </>
  )
}

const Comma = () => <span className="sr-only">, </span>

const InOut = ({ input, output }: { input: number; output: number }) => (
  <bdi dir="ltr">
    {formatNumber(input)}→{formatNumber(output)}
  </bdi>
)
