'use client'

import { CircleAlert, CircleCheck, CircleHelp, CircleX, Copy, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { RpcAnswer } from '@/components/rpc/client'
import type { Reply } from '@/components/rpc/response/decode/reply'
import { visibleText } from '@/components/rpc/response/decode/visible-text'
import { formatBytes, formatCallCost, formatCredits, formatMs } from '@/components/rpc/response/facts'
import { type Outcome, outcomeOf } from '@/components/rpc/response/outcome'
import { announce } from '@/components/ui/announcer'
import { showToast } from '@/components/ui/toast'
import { t } from '@/lib/i18n/t'

type HeadLineProps = {
  answer: RpcAnswer
  reply: Reply | 'unread' | undefined /** What can be done with it. */
  children: ReactNode
}

/** How the call ended, and what it took: time, size, credits, money. */
export function HeadLine({ answer, reply, children }: HeadLineProps) {
  const { status, ms, bytes, credits, costUsd, isReplayed, requestId } = answer
  const outcome = outcomeOf(answer, reply)
  const isPaidError = outcome?.kind === 'rpc-error' && credits !== undefined && credits > 0
  return (
    <div className="border-b border-line px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <OutcomeBadge outcome={outcome} />
        {isReplayed && (
          <span
            title={t(
              'Response of an earlier call with the same idempotency key. The call wasn’t sent again and is free.',
            )}
            className="rounded-chip border border-line px-2 text-12 leading-5 text-ink-2"
          >
            {t('Replayed')}
          </span>
        )}
        {children}
      </div>
      <div className="mt-0.5 flex flex-wrap items-center gap-x-3">
        <dl className="flex flex-wrap items-center gap-x-3 font-mono text-12 text-ink-3 tabular-nums">
          {outcome?.kind !== 'http-error' && <Fact name={t('HTTP status')} value={`HTTP ${status}`} />}
          <Fact name={t('Duration')} value={formatMs(ms)} />
          <Fact name={t('Size')} value={formatBytes(bytes)} />
          {credits !== undefined && <Fact name={t('Credits')} value={formatCredits(credits)} />}
          {costUsd !== undefined && <Fact name={t('Cost')} value={formatCallCost(costUsd)} className="text-brass" />}
        </dl>
        {requestId !== undefined && <RequestIdButton id={requestId} />}
      </div>
      {outcome?.kind === 'rpc-error' && outcome.detail !== undefined && (
        <p className="mt-1 text-13 text-ink-2 wrap-anywhere">
          <bdi>{visibleText(outcome.detail)}</bdi>
          {isPaidError && <span className="text-ink-3"> {t('The node answered, so the call is charged.')}</span>}
        </p>
      )}
    </div>
  )
}

type FactProps = { name: string; value: string; className?: string }

function Fact({ name, value, className = '' }: FactProps) {
  return (
    <div>
      <dt className="sr-only">{name}</dt>
      <dd dir="auto" className={className}>
        {value}
      </dd>
    </div>
  )
}

const LOOKS: Record<Outcome['kind'], { Icon: LucideIcon; className: string }> = {
  result: { Icon: CircleCheck, className: 'text-ok' },
  mixed: { Icon: CircleAlert, className: 'border border-control px-2 text-ink' },
  odd: { Icon: CircleHelp, className: 'border border-control px-2 text-ink' },
  'rpc-error': { Icon: CircleAlert, className: 'border border-danger px-2 text-danger' },
  'http-error': { Icon: CircleX, className: 'border border-danger bg-danger px-2 text-paper' },
}

/** Three ends of a call look like three things: a result, an error of the node, an error before any node. */
function OutcomeBadge({ outcome }: { outcome: Outcome | undefined }) {
  if (!outcome) return <span aria-hidden="true" className="skeleton h-6 w-16" />
  const { Icon, className } = LOOKS[outcome.kind]
  return (
    <span
      data-outcome={outcome.kind}
      className={`inline-flex min-h-6 items-center gap-1.5 rounded-chip text-13 font-medium ${className}`}
    >
      <Icon aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.75} />
      {outcome.label}
    </span>
  )
}

function RequestIdButton({ id }: { id: string }) {
  const copy = async () => {
    await navigator.clipboard.writeText(id)
    announce(t('Copied'))
    showToast({ text: t('Request ID copied') })
  }
  return (
    <button
      type="button"
      onClick={() => void copy()}
      title={t('Request {id}. Copy the ID to report a problem.', { id })}
      className="inline-flex min-h-6 items-center gap-1 rounded-control px-1 font-mono text-12 text-ink-3 transition-colors hover:bg-hover hover:text-ink pointer-coarse:-my-2.5 pointer-coarse:min-h-11"
    >
      <Copy aria-hidden="true" className="size-3" strokeWidth={1.5} />
      <span className="sr-only">{t('Copy request ID')} </span>
      {id.slice(0, 8)}
    </button>
  )
}
