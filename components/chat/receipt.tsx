'use client'

import { Popover } from 'radix-ui'
import { CopyButton } from '@/components/ui/copy-button'
import { OVERLAY } from '@/components/ui/menu'
import { formatCost } from '@/lib/client/cost'
import type { ReceiptSum } from '@/lib/client/thread'
import { formatUsd } from '@/lib/core/money'

type ReceiptProps = { receipt: ReceiptSum; modelName: string }

/**
 * What an answer took: in the gutter level with it, as a line under it where the page is narrower, as a chip on a
 * phone. Opens into the whole receipt.
 */
export function Receipt({ receipt, modelName }: ReceiptProps) {
  const { tokens, cost, durationMs } = receipt
  return (
    <Popover.Root>
      <Popover.Trigger className="receipt ledger group/receipt rounded-control px-1.5 py-1 text-end font-mono text-12 text-ink-3 tabular-nums transition-colors hover:text-ink-2 data-[state=open]:text-ink-2 max-md:rounded-chip max-md:border max-md:border-line max-md:px-3 pointer-coarse:min-h-9 lg:mx-2 lg:px-2">
        <span className="sr-only">Receipt: </span>
        {cost !== undefined && (
          <span className="receipt-line font-medium text-ink-2 group-hover/receipt:text-brass group-data-[state=open]/receipt:text-brass">
            {formatCost(cost)}
          </span>
        )}
        <span className="receipt-line receipt-more">
          {count(tokens.input)}→{count(tokens.output)} tok
        </span>
        {tokens.cached > 0 && <span className="receipt-line receipt-more">{count(tokens.cached)} cached</span>}
        <span className="receipt-line">{seconds(durationMs)}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          side="bottom"
          align="end"
          sideOffset={6}
          collisionPadding={8}
          aria-label="Receipt"
          className={`${OVERLAY} w-72 p-4`}
        >
          <Details receipt={receipt} modelName={modelName} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Details({ receipt, modelName }: ReceiptProps) {
  const { tokens, cost, durationMs, requestIds } = receipt
  const speed = durationMs > 0 ? (tokens.output * 1000) / durationMs : 0
  return (
    <>
      <dl className="space-y-1.5 text-13">
        <Row name="Model" value={modelName} />
        <Row name="Tokens in" value={count(tokens.input)} />
        {tokens.cached > 0 && <Row name="of these, cached" value={count(tokens.cached)} isPart />}
        <Row name="Tokens out" value={count(tokens.output)} />
        {tokens.reasoning > 0 && <Row name="of these, thinking" value={count(tokens.reasoning)} isPart />}
        <Row name="Time" value={seconds(durationMs)} />
        <Row name="Speed" value={`${speed.toFixed(speed < 10 ? 1 : 0)} tok/s`} />
        <div className="flex items-baseline justify-between gap-4 border-t-3 border-double border-line pt-2">
          <dt>Paid</dt>
          <dd className="font-mono font-medium text-brass">
            {cost === undefined ? 'no price given' : `$${exact(cost)}`}
          </dd>
        </div>
      </dl>
      {requestIds.length > 0 && (
        <div className="mt-2 flex items-center justify-between gap-2 text-12 text-ink-3">
          <span className="truncate font-mono">{requestIds.join(' ')}</span>
          <CopyButton text={requestIds.join(' ')} label="Copy request id" />
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

const exact = (cost: NonNullable<ReceiptSum['cost']>) => formatUsd(cost, 9).replace(/0{1,5}$/, '')

const count = (tokens: number) => tokens.toLocaleString('en')

const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 9_950 ? 1 : 0)} s`
